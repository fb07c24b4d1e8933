// Hugging Face config.json to ModelArchitecture.
//
// Reads nested text_config (the language part of a multimodal model), quantization_config, and
// hf_quant_config.json beside it. What an engine would treat as another architecture is refused with the
// reason: nothing is approximated.
#pragma once

#include <filesystem>
#include <string_view>

#include "warploom/base/json.h"
#include "warploom/models/architecture.h"

namespace warploom {

// `name` is the model's canonical id, `where` names the source in errors. hf_quant: the document of
// hf_quant_config.json, or null. Throws Unsupported (architecture or quantisation that is not modelled, with
// the reason and what is supported) and InvalidInput (a needed field that is missing, of a wrong type, or out
// of range).
ModelArchitecture architecture_from_config(const Json& config, const Json* hf_quant, std::string_view name,
                                           std::string_view where);

// A config.json, or a folder that holds one. The name is the config's _name_or_path, else the folder's.
// Throws also IoError.
ModelArchitecture read_hf_config(const std::filesystem::path& path);

// Text of a config.json.
ModelArchitecture parse_hf_config(std::string_view text, std::string_view where);

}  // namespace warploom
