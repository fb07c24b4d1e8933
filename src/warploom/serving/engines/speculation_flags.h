// vLLM's flags that each give one key of --speculative-config: --spec-method, --spec-model, --spec-tokens.
#pragma once

#include <string>
#include <string_view>

#include "warploom/serving/config/serving_config.h"

namespace warploom {

// Each puts its value into config.speculative_config, which the whole object joins in any order, as
// create_speculative_config does (vllm/engine/arg_utils.py). Throws InvalidInput "<where>: ..." on a key that
// was given before, on a number of tokens that is none, and on an object that is none.
void apply_spec_method(ServingConfig& config, std::string_view method, const std::string& where);
void apply_spec_model(ServingConfig& config, std::string_view model, const std::string& where);
void apply_spec_tokens(ServingConfig& config, std::string_view tokens, const std::string& where);
void apply_speculative_config(ServingConfig& config, std::string_view json, const std::string& where);
// One entry of it, `--speculative-config.method mtp`: a value that is JSON is taken as such, else as a text.
void apply_speculative_entry(ServingConfig& config, std::string_view key, std::string_view value,
                             const std::string& where);

}  // namespace warploom
