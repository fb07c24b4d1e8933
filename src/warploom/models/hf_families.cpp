#include "warploom/models/hf_families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

struct Supported {
  std::string_view architecture;
  ModelFamily family;
};

constexpr std::array kSupported{
    Supported{"DeepseekV2ForCausalLM", ModelFamily::DeepSeek},
    Supported{"DeepseekV3ForCausalLM", ModelFamily::DeepSeek},
    Supported{"Gemma2ForCausalLM", ModelFamily::Gemma2},
    Supported{"Gemma3ForCausalLM", ModelFamily::Gemma3},
    Supported{"Gemma3ForConditionalGeneration", ModelFamily::Gemma3},
    Supported{"GemmaForCausalLM", ModelFamily::Gemma},
    Supported{"Glm4MoeForCausalLM", ModelFamily::Glm4Moe},
    Supported{"GptOssForCausalLM", ModelFamily::GptOss},
    Supported{"InternLM3ForCausalLM", ModelFamily::Llama},
    Supported{"InternLMForCausalLM", ModelFamily::Llama},
    Supported{"KimiK25ForConditionalGeneration", ModelFamily::DeepSeek},
    Supported{"Llama4ForCausalLM", ModelFamily::Llama4},
    Supported{"Llama4ForConditionalGeneration", ModelFamily::Llama4},
    Supported{"LlamaForCausalLM", ModelFamily::Llama},
    Supported{"MiMoForCausalLM", ModelFamily::Qwen2},
    Supported{"MiniMaxM2ForCausalLM", ModelFamily::MiniMaxM2},
    Supported{"Mistral3ForConditionalGeneration", ModelFamily::Llama},
    Supported{"MistralForCausalLM", ModelFamily::Llama},
    Supported{"MixtralForCausalLM", ModelFamily::Mixtral},
    Supported{"Phi3ForCausalLM", ModelFamily::Phi3},
    Supported{"PhiForCausalLM", ModelFamily::Phi},
    Supported{"QWenLMHeadModel", ModelFamily::Qwen1},
    Supported{"Qwen2ForCausalLM", ModelFamily::Qwen2},
    Supported{"Qwen2MoeForCausalLM", ModelFamily::Qwen2Moe},
    Supported{"Qwen3ForCausalLM", ModelFamily::Qwen3},
    Supported{"Qwen3MoeForCausalLM", ModelFamily::Qwen3Moe},
    Supported{"Qwen3NextForCausalLM", ModelFamily::Qwen3Next},
    Supported{"Qwen3VLForConditionalGeneration", ModelFamily::Qwen3},
    Supported{"Qwen3VLMoeForConditionalGeneration", ModelFamily::Qwen3Moe},
    Supported{"Qwen3_5ForConditionalGeneration", ModelFamily::Qwen35},
    Supported{"Qwen3_5MoeForConditionalGeneration", ModelFamily::Qwen35Moe},
};

struct Refused {
  std::string_view prefix;  // of the architecture
  std::string_view reason;
};

constexpr std::array kRefused{
    Refused{"DeepseekV32", "sparse attention (an indexer picks the tokens to attend to) has no kernel model"},
    Refused{"DeepseekV4", "compressed and sparse attention has no kernel model"},
    Refused{"GlmMoeDsa", "sparse attention (an indexer picks the tokens to attend to) has no kernel model"},
    Refused{"MiniMaxM3", "sparse attention has no kernel model"},
    Refused{"NemotronH", "Mamba-2 layers mixed with attention and MLP layers have no operator graph"},
    Refused{"DeciLM", "every layer has its own shape (neural architecture search)"},
    Refused{"MiMoV2", "windowed and full layers have different numbers of heads"},
    Refused{"Gemma4", "windowed and full layers have different head sizes, and some share keys and values"},
    Refused{"Gemma3n", "layers share keys and values and have per-layer embeddings"},
    Refused{"Step3p", "windowed and full layers have different numbers of heads"},
    Refused{"Step3", "multi-matrix factorised attention has no kernel model"},
    Refused{"KimiK3", "Kimi delta attention mixed with latent attention has no operator graph"},
    Refused{"KimiLinear", "Kimi delta attention mixed with latent attention has no operator graph"},
    Refused{"MiniMaxM1", "lightning attention has no kernel model"},
    Refused{"MiniMaxText01", "lightning attention has no kernel model"},
    Refused{"Mamba", "state-space models have no operator graph"},
    Refused{"FalconMamba", "state-space models have no operator graph"},
    Refused{"Jamba", "state-space layers have no operator graph"},
    Refused{"T5", "encoder-decoder models have no operator graph"},
    Refused{"Whisper", "encoder-decoder models have no operator graph"},
    Refused{"Mllama", "cross-attention layers have no operator graph"},
};

struct RefusedField {
  std::string_view key;
  std::string_view reason;
};

constexpr std::array kRefusedFields{
    RefusedField{"index_topk",
                 "sparse attention (an indexer picks the tokens to attend to) has no kernel model"},
    RefusedField{"block_configs", "every layer has its own shape"},
    RefusedField{"hybrid_override_pattern", "state-space layers have no operator graph"},
    RefusedField{"num_kv_shared_layers", "layers that share keys and values are not modelled"},
    RefusedField{"linear_attn_config", "this kind of linear attention has no operator graph"},
};

bool present(const ConfigValues& config, std::string_view key) {
  if (!config.has(key)) return false;
  return key != "num_kv_shared_layers" || config.integer(key, 0) > 0;
}

// In alphabetical order.
std::vector<std::string> supported_architectures() {
  std::vector<std::string> names;
  for (const Supported& entry : kSupported) names.emplace_back(entry.architecture);
  return names;
}

std::string supported_list() {
  return fmt::format("supported: {}", fmt::join(supported_architectures(), ", "));
}

}  // namespace

ModelFamily family_of_config(const ConfigValues& config, const ConfigValues& text,
                             std::string_view architecture) {
  if (architecture.empty()) {
    throw InvalidInput(fmt::format("{}: 'architectures' is missing, expected the model's class; {}",
                                   config.where(), supported_list()));
  }
  for (const Refused& entry : kRefused) {
    if (!architecture.starts_with(entry.prefix)) continue;
    throw Unsupported(fmt::format("{}: architecture {} is not supported: {}; {}", config.where(),
                                  architecture, entry.reason, supported_list()));
  }
  const auto entry = std::find_if(kSupported.begin(), kSupported.end(),
                                  [&](const Supported& known) { return known.architecture == architecture; });
  if (entry == kSupported.end()) {
    throw Unsupported(fmt::format("{}: architecture {} is not known{}; {}", config.where(), architecture,
                                  did_you_mean(architecture, supported_architectures()), supported_list()));
  }
  for (const RefusedField& field : kRefusedFields) {
    if (present(text, field.key)) {
      throw Unsupported(fmt::format("{}: '{}' of {} is not supported: {}", config.where(), field.key,
                                    architecture, field.reason));
    }
  }
  return entry->family;
}

bool is_mixture_family(ModelFamily family) {
  switch (family) {
    case ModelFamily::Mixtral:
    case ModelFamily::Qwen2Moe:
    case ModelFamily::Qwen3Moe:
    case ModelFamily::GptOss:
    case ModelFamily::MiniMaxM2:
    case ModelFamily::Llama4:
    case ModelFamily::Glm4Moe:
    case ModelFamily::DeepSeek:
    case ModelFamily::Qwen3Next:
    case ModelFamily::Qwen35Moe:
      return true;
    default:
      return false;
  }
}

}  // namespace warploom
