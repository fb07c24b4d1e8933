// What of vLLM's --compilation-config changes how long steps take: which of them run as CUDA graphs.
#pragma once

#include <string>
#include <string_view>

#include "warploom/serving/config/serving_config.h"

namespace warploom {

// Takes cudagraph_mode, max_cudagraph_capture_size and cudagraph_capture_sizes; other keys (fusion passes,
// caches) change no price and are left. Throws InvalidInput "<where>: ..." on text that is
// not a JSON object or on values of another type.
void apply_compilation_config(ServingConfig& config, std::string_view json, const std::string& where);

// One entry, as in -cc.cudagraph_mode=NONE: `value` as JSON, else as plain text. Otherwise as above.
void apply_compilation_entry(ServingConfig& config, std::string_view key, std::string_view value,
                             const std::string& where);

}  // namespace warploom
