// DFlash: a few layers that draft a block in one pass, a mask for each token of it, over keys and values that
// they make of the target's states (vllm/model_executor/models/qwen3_dflash.py,
// vllm/v1/worker/gpu/spec_decode/dflash/speculator.py).
#include <array>

#include "warploom/serving/speculation/draft_method.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 1> kSpellings{"dflash"};
constexpr std::string_view kSelector = "its convolutions and its choice between candidates are not modelled";
constexpr std::array<DraftClass, 9> kClasses{
    {{"DFlashDraftModel", "Qwen3ForCausalLM"},
     {"DFlashQwen3ForCausalLM", "Qwen3ForCausalLM"},
     {"MuseGlimmerAssistantModel", "Qwen3ForCausalLM"},
     {"DFlash2DraftModel", "", kSelector},
     {"DFlash2BeamDraftModel", "", kSelector},
     {"DFlashLagunaForCausalLM", "", "its gated attention is not modelled"},
     {"LiLiCorrDraftModel", "", "its correction of drafts is not modelled"},
     {"Qwen3XPressModel", "", "its refiner is not modelled"},
     {"DFlashQwen3XPressModel", "", "its refiner is not modelled"}}};
constexpr std::int64_t kUsualBlock = 15;  // a block of 16 with the sure token, where SGLang is not told

Drafter dflash_drafter(const DrafterSource& source) {
  const DraftConfig& own = *source.own;
  // As many states as layers, where none are listed.
  const std::int64_t states = own.target_states > 0 ? own.target_states : own.model.layer_count();
  Drafter drafter = drafter_of(own, source.target, states);
  drafter.block = DraftBlock{.anchored = false, .trained = own.block - 1};
  return drafter;
}

}  // namespace

extern constinit const DraftMethod kDFlashMethod{.name = "dflash",
                                                 .spellings = kSpellings,
                                                 .in_name = "dflash",
                                                 .classes = kClasses,
                                                 .class_prefix = "DFlash",
                                                 .in_blocks = true,
                                                 .usual_steps = kUsualBlock,
                                                 .drafter = dflash_drafter};

}  // namespace warploom
