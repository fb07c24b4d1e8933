#include "warploom/models/hf/hf_families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "warploom/base/nearest_name.h"

namespace warploom {

extern const HfFamily kApertusFamily, kAxk1Family, kBailingFamily, kChatGlmFamily, kCohereFamily,
    kDeciLmFamily, kDeepSeek1Family, kDeepSeekFamily, kDeepSeekV41Family, kDeepSeekV4Family, kErnieMoeFamily,
    kExaone4Family, kExaoneMoeFamily, kFalconFamily, kGemma2Family, kGemma3Family, kGemma4Family,
    kGemmaFamily, kGlm4DenseFamily, kGlm4Family, kGlm5NextFamily, kGptJFamily, kGptOssFamily,
    kGraniteHybridFamily, kGraniteMoeFamily, kGraniteMoeSwaFamily, kGraniteSwaFamily, kHyperClovaXFamily,
    kKimiLinearFamily, kLlama4Family, kLlamaFamily, kMamba2Family, kMimoV2Family, kMiniCpmFamily,
    kMiniMaxFamily, kMiniMaxM3Family, kMixtralFamily, kMuseGlimmerFamily, kNemotronFamily, kNemotronHFamily,
    kOlmoeFamily, kOrionFamily, kParam2Family, kPhiFamily, kPhiMoeFamily, kPlainFamily, kQwen1Family,
    kQwen2Family, kQwen2MoeFamily, kQwen35Family, kQwen35MoeFamily, kQwen3Family, kQwen3MoeFamily,
    kQwen3NextFamily, kSarvamMlaFamily, kSparseLatentFamily, kStableLmFamily, kStep1Family, kStepFamily;

namespace {

constexpr std::array kFamilies{
    &kApertusFamily,       &kAxk1Family,       &kBailingFamily,     &kChatGlmFamily,       &kCohereFamily,
    &kDeciLmFamily,        &kDeepSeek1Family,  &kDeepSeekFamily,    &kDeepSeekV41Family,   &kDeepSeekV4Family,
    &kErnieMoeFamily,      &kExaone4Family,    &kExaoneMoeFamily,   &kFalconFamily,        &kGemma2Family,
    &kGemma3Family,        &kGemma4Family,     &kGemmaFamily,       &kGlm4DenseFamily,     &kGlm4Family,
    &kGlm5NextFamily,      &kGptJFamily,       &kGptOssFamily,      &kGraniteHybridFamily, &kGraniteMoeFamily,
    &kGraniteMoeSwaFamily, &kGraniteSwaFamily, &kHyperClovaXFamily, &kKimiLinearFamily,    &kLlama4Family,
    &kLlamaFamily,         &kMamba2Family,     &kMimoV2Family,      &kMiniCpmFamily,       &kMiniMaxFamily,
    &kMiniMaxM3Family,     &kMixtralFamily,    &kMuseGlimmerFamily, &kNemotronFamily,      &kNemotronHFamily,
    &kOlmoeFamily,         &kOrionFamily,      &kParam2Family,      &kPhiFamily,           &kPhiMoeFamily,
    &kPlainFamily,         &kQwen1Family,      &kQwen2Family,       &kQwen2MoeFamily,      &kQwen35Family,
    &kQwen35MoeFamily,     &kQwen3Family,      &kQwen3MoeFamily,    &kQwen3NextFamily,     &kSarvamMlaFamily,
    &kSparseLatentFamily,  &kStableLmFamily,   &kStep1Family,       &kStepFamily};

struct Refused {
  std::string_view prefix;  // of the architecture
  std::string_view reason;
};

constexpr std::array kRefused{
    Refused{"Gemma3n", "layers share keys and values and have per-layer embeddings"},
    Refused{"Step3ForCausalLM", "multi-matrix factorised attention has no kernel model"},
    Refused{"Step3Text", "multi-matrix factorised attention has no kernel model"},
    Refused{"Step3VL", "multi-matrix factorised attention has no kernel model"},
    Refused{"MiniMaxM1", "lightning attention has no kernel model"},
    Refused{"MiniMaxText01", "lightning attention has no kernel model"},
    Refused{"MambaFor", "state-space models of the first kind have no operator graph"},
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
    RefusedField{"hidden_size_per_layer_input", "per-layer embeddings are not modelled"},
    RefusedField{"linear_attn_config", "this kind of linear attention has no operator graph"},
    RefusedField{"sparse_attention_config", "attention to chosen blocks of tokens has no operator graph"},
    RefusedField{"compress_ratios", "a compressed cache has no operator graph"},
    RefusedField{"index_kpool", "pooled index keys have no operator graph"},
    RefusedField{"kv_source_layer_ids", "layers that share a compressed cache have no operator graph"},
    RefusedField{"hc_mult", "hyper-connections have no operator graph"},
    RefusedField{"engram_layer_ids", "look-ups of n-grams have no operator graph"},
    RefusedField{"attn_res_block_size", "sums over the outputs of earlier layers have no operator graph"},
    RefusedField{"moe_latent_size", "experts that work in a latent have no operator graph"},
    RefusedField{"routed_expert_hidden_size", "experts that work in a latent have no operator graph"},
};

// In alphabetical order.
std::vector<std::string> supported_architectures() {
  std::vector<std::string> names;
  for (const HfFamily* family : kFamilies)
    names.insert(names.end(), family->architectures.begin(), family->architectures.end());
  std::sort(names.begin(), names.end());
  return names;
}

const HfFamily* find_family(std::string_view architecture) {
  for (const HfFamily* family : kFamilies)
    for (const std::string_view name : family->architectures)
      if (name == architecture) return family;
  return nullptr;
}

std::string supported_list() {
  return fmt::format("supported: {}", fmt::join(supported_architectures(), ", "));
}

}  // namespace

const HfFamily& family_of_config(const ConfigValues& config, const ConfigValues& text,
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
  const HfFamily* family = find_family(architecture);
  if (family == nullptr) {
    throw Unsupported(fmt::format("{}: architecture {} is not known{}; {}", config.where(), architecture,
                                  did_you_mean(architecture, supported_architectures()), supported_list()));
  }
  for (const RefusedField& field : kRefusedFields) {
    const auto reads = std::find(family->reads_keys.begin(), family->reads_keys.end(), field.key);
    if (reads == family->reads_keys.end() && is_switched_on(text, field.key)) {
      throw Unsupported(fmt::format("{}: '{}' of {} is not supported: {}", config.where(), field.key,
                                    architecture, field.reason));
    }
  }
  return *family;
}

}  // namespace warploom
