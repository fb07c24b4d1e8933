// What of vLLM's --additional-config changes how long steps take: whose kernels run prompts of delta nets.
#pragma once

#include <string>
#include <string_view>

#include "warploom/serving/config/serving_config.h"

namespace warploom {

// Takes gdn_prefill_backend, which --gdn-prefill-backend writes there too (vllm/engine/arg_utils.py), as
// the engine reads it: in any case of letters. Other keys are platforms' own. Throws
// InvalidInput "<where>: ..." on text that is not a JSON object and on a value that is no text.
void apply_additional_config(ServingConfig& config, std::string_view json, const std::string& where);

// One entry, as in --additional-config.gdn_prefill_backend=triton: `value` as JSON, else as plain text.
void apply_additional_entry(ServingConfig& config, std::string_view key, std::string_view value,
                            const std::string& where);

}  // namespace warploom
