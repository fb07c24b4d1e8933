// The checkpoint's own layers for multi-token prediction.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/base/error.h"
#include "warploom/serving/speculation/draft_method.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 31> kSpellings{"mtp",
                                                      "nextn",
                                                      "mtp_eagle",
                                                      "mtp_vanilla",
                                                      "deepseek_mtp",
                                                      "qwen3_next_mtp",
                                                      "qwen3_5_mtp",
                                                      "glm4_moe_mtp",
                                                      "mimo_mtp",
                                                      "ernie_mtp",
                                                      "longcat_flash_mtp",
                                                      "dots3_note_mtp",
                                                      "mimo_v2_mtp",
                                                      "glm4_moe_lite_mtp",
                                                      "glm_ocr_mtp",
                                                      "nemotron_h_mtp",
                                                      "exaone_moe_mtp",
                                                      "exaone4_5_mtp",
                                                      "qwen4_exp_mtp",
                                                      "minimax_m3_mtp",
                                                      "kimi_k3_mtp",
                                                      "pangu_ultra_moe_mtp",
                                                      "step3p5_mtp",
                                                      "step5_mtp",
                                                      "hy_v3_mtp",
                                                      "hy_v4_mtp",
                                                      "gemma4_mtp",
                                                      "glm5_next_mtp",
                                                      "inkling_mtp",
                                                      "bailing_hybrid_mtp",
                                                      "bailing_hybrid_v3_mtp"};

// Modules that are no copy of a layer: a dense MLP beside a mixture, attention to a window. MiMo-V2's have
// 0.33 B parameters each (its technical report); Step-3.5 and 3.7 list their modules among no experts
// (vllm/model_executor/models/mimo_v2_mtp.py, step3p5_mtp.py).
constexpr std::array<std::string_view, 5> kDenseModules{"MiMoV2FlashForCausalLM", "MiMoV2ForCausalLM",
                                                        "Step3p5ForCausalLM", "Step3p7FlashForCausalLM",
                                                        "Step3p7ForConditionalGeneration"};
bool has_dense_modules(const ModelArchitecture& target) {
  return std::find(kDenseModules.begin(), kDenseModules.end(), target.architecture) != kDenseModules.end();
}

const LayerGroup* windowed_layer(const ModelArchitecture& target) {
  for (const LayerGroup& group : target.layers)
    if (const auto* attention = std::get_if<Attention>(&group.mixer); attention && attention->windowed())
      return &group;
  return nullptr;
}

Drafter mtp_drafter(const DrafterSource& source) {
  const ModelArchitecture& target = source.target;
  if (target.mtp_layers == 0)
    throw InvalidInput(
        fmt::format("speculative decoding: {} has no multi-token prediction layer, expected method eagle, "
                    "draft_model or ngram",
                    target.name));
  // vLLM refuses method mtp there too.
  if (target.block_drafter.states > 0)
    throw Unsupported(
        fmt::format("speculative decoding: the prediction layers of {} are a DSpark drafter, expected method "
                    "dspark, eagle, draft_model or ngram",
                    target.name));
  LayerGroup layer = target.layers.back();
  if (has_dense_modules(target)) {
    layer.feed_forward = dense_beside_experts(target);
    if (const LayerGroup* windowed = windowed_layer(target)) layer.mixer = windowed->mixer;
  }
  Drafter drafter = one_layer_of(target, "mtp", layer);
  drafter.fusion = {.width = 2 * target.hidden, .every_pass = true};
  drafter.modules = target.mtp_layers;
  return drafter;
}

}  // namespace

extern constinit const DraftMethod kMtpMethod{.name = "mtp",
                                              .spellings = kSpellings,
                                              .engine = DraftEngine::Own,
                                              .in_name = "mtp",
                                              .usual_steps = 1,
                                              .drafter = mtp_drafter};

}  // namespace warploom
