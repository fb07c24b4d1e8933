// Private to the module: which architectures are read, which are refused and why.
#pragma once

#include <string_view>

#include "warploom/models/config_values.h"

namespace warploom {

// Architectures that share a way of reading their config.
enum class ModelFamily {
  Llama,  // and Mistral, InternLM
  Qwen1,  // the first Qwen, with its own field names
  Qwen2,  // qkv bias
  Qwen3,  // q and k norms
  Gemma,
  Gemma2,
  Gemma3,
  Phi,
  Phi3,
  Mixtral,
  Qwen2Moe,
  Qwen3Moe,
  GptOss,
  MiniMaxM2,
  Llama4,
  Glm4Moe,
  DeepSeek,   // V2, V3, R1, Kimi K2: MLA and mixture of experts
  Qwen3Next,  // gated delta net layers between full ones
  Qwen35,
  Qwen35Moe,
};

// Throws Unsupported for an architecture or a feature of the config that is not modelled, InvalidInput when
// the config names no architecture.
ModelFamily family_of_config(const ConfigValues& config, const ConfigValues& text,
                             std::string_view architecture);

bool is_mixture_family(ModelFamily family);

}  // namespace warploom
