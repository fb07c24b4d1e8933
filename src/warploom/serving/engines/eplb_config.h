// What of vLLM's --eplb-config changes how long steps take: how many replicas experts have.
#pragma once

#include <string>
#include <string_view>

#include "warploom/serving/config/serving_config.h"

namespace warploom {

// Takes num_redundant_experts and policy; when it measures loads and how it moves weights is left, as loads
// do not change in a run. Throws InvalidInput "<where>: ..." on text that is not a JSON object and on values
// of another type, Unsupported on another policy than vLLM's own.
void apply_eplb_config(ServingConfig& config, std::string_view json, const std::string& where);

// One entry, as in --eplb-config.num_redundant_experts=32: `value` as JSON, else as plain text.
void apply_eplb_entry(ServingConfig& config, std::string_view key, std::string_view value,
                      const std::string& where);

}  // namespace warploom
