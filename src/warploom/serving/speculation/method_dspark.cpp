// DSpark: DFlash's pass over a block, then a small head that biases the choice of each token by the token
// before it (vllm/model_executor/models/qwen3_dspark.py,
// vllm/v1/worker/gpu/spec_decode/dspark/speculator.py).
// DeepSeek-V4's checkpoints carry such a drafter of their own layers (vllm/models/deepseek_v41/nvidia).
#include <fmt/format.h>

#include <array>

#include "warploom/base/error.h"
#include "warploom/serving/speculation/draft_method.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 1> kSpellings{"dspark"};
constexpr std::array<DraftClass, 7> kClasses{
    {{"Qwen3DSparkModel", "Qwen3ForCausalLM"},
     {"Qwen3OmniDSparkModel", "Qwen3ForCausalLM"},
     {"DSparkDraftModel", "Qwen3ForCausalLM"},
     {"LingDSparkModel", "", "its layers are not read"},
     {"K3DSparkModel", "", "its latent attention over a block is not modelled"},
     {"Gemma4DSparkModel", "", "its layers are not read"},
     {"MuseSparkDSparkModel", "", "its layers are not read"}}};
constexpr std::int64_t kUsualBlock = 7;  // sglang/srt/speculative/dspark_components/dspark_config.py

// Stages of the target's own checkpoint: its last layer over a window, with experts of their own number.
Drafter own_stages(const ModelArchitecture& target) {
  const BlockDrafter& stages = target.block_drafter;
  if (stages.states == 0)
    throw InvalidInput(
        fmt::format("speculative decoding: {} carries no DSpark drafter, expected the path of one's "
                    "config.json as 'model', or one of the drafts that are known",
                    target.name));
  LayerGroup layer = target.layers.back();
  if (auto* mixture = std::get_if<MixtureOfExperts>(&layer.feed_forward)) {
    if (stages.experts > 0) mixture->experts = stages.experts;
    if (stages.experts_per_token > 0) mixture->top_k = stages.experts_per_token;
  }
  Drafter drafter = one_layer_of(target, "dspark", layer);
  drafter.model.layers.front().count = target.mtp_layers;
  drafter.fusion.width = stages.states * target.hidden;
  drafter.block = DraftBlock{.trained = stages.block, .markov_rank = stages.markov_rank, .confidence = true};
  return drafter;
}

Drafter dspark_drafter(const DrafterSource& source) {
  if (source.own == nullptr) return own_stages(source.target);
  const DraftConfig& own = *source.own;
  if (own.target_states == 0 || own.markov_rank == 0)
    throw InvalidInput(
        fmt::format("{}: '{}' is missing, expected what a DSpark drafter reads and how wide its head is",
                    own.name, own.markov_rank == 0 ? "markov_rank" : "target_layer_ids"));
  Drafter drafter = drafter_of(own, source.target, own.target_states);
  drafter.block = DraftBlock{.anchored = own.samples_anchor,
                             .trained = own.samples_anchor ? own.block : own.block - 1,
                             .markov_rank = own.markov_rank,
                             .confidence = own.confidence};
  return drafter;
}

}  // namespace

extern constinit const DraftMethod kDSparkMethod{.name = "dspark",
                                                 .spellings = kSpellings,
                                                 .in_name = "dspark",
                                                 .classes = kClasses,
                                                 .in_blocks = true,
                                                 .bundled = true,
                                                 .usual_steps = kUsualBlock,
                                                 .drafter = dspark_drafter};

}  // namespace warploom
