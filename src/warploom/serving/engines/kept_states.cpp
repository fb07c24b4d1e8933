#include "warploom/serving/engines/kept_states.h"

#include <algorithm>
#include <array>

#include "warploom/serving/engines/delta_net_kernels.h"
#include "warploom/serving/engines/version_rows.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

// Read in the wheels of 0.24.0 to 0.28.0 and 0.30.0 to 0.33.0; the days of 0.26.0 and 0.32.0 are those after
// their wheels were built. KDA's FlashKDA kernel, which writes within
// prompts too, is no default.
struct VllmStates {
  std::string_view since, released;
  bool keeps, mamba2_within, delta_nets_within;
};
constexpr std::array<VllmStates, 4> kVllmStates{{{"0.8.0", "20250318", false, false, false},
                                                 {"0.26.0", "20260726", true, false, false},
                                                 {"0.32.0", "20261018", true, true, false},
                                                 {"0.33.0", "20261102", true, true, true}}};

bool writes_within(const VllmStates& known, const EngineLaunch& launch, std::string_view version) {
  const ModelArchitecture& model = launch.model;
  if (model.layers_of<KimiDelta>() > 0) return false;
  if (model.layers_of<Mamba2>() > 0 && !known.mamba2_within) return false;
  if (model.layers_of<GatedDeltaNet>() == 0) return true;
  return known.delta_nets_within &&
         runs_flashinfer_delta_nets(launch.config.gdn_prefill_backend, launch.gpu, version);
}

// Classes that cannot track states beside a running request are not on the list of those that can.
bool tracks_states(const ModelArchitecture& model) {
  constexpr std::array<std::string_view, 22> kModels{"KimiLinearForCausalLM",
                                                     "Qwen3_5ForConditionalGeneration",
                                                     "Qwen3_5MoeForConditionalGeneration",
                                                     "Qwen3_5MoeForCausalLM",
                                                     "Qwen3_5ForCausalLM",
                                                     "Qwen3NextForCausalLM",
                                                     "Qwen4ExpForConditionalGeneration",
                                                     "InternS2PreviewForConditionalGeneration",
                                                     "MiniCPMV4_6ForConditionalGeneration",
                                                     "MiniCPMV4_7ForConditionalGeneration",
                                                     "BailingMoeV2_5ForCausalLM",
                                                     "BailingMoeV3ForCausalLM",
                                                     "BailingMoeV3VLForConditionalGeneration",
                                                     "FalconH1ForCausalLM",
                                                     "GraniteMoeHybridForCausalLM",
                                                     "Glm5NextForConditionalGeneration",
                                                     "NemotronHForCausalLM",
                                                     "NemotronHPuzzleForCausalLM",
                                                     "NemotronH_Omni_Reasoning_V3",
                                                     "KimiK3ForConditionalGeneration",
                                                     "InklingForConditionalGeneration",
                                                     "InklingForConditionalGenerationMTP"};
  return std::find(kModels.begin(), kModels.end(), model.architecture) != kModels.end();
}

}  // namespace

KeptStates vllm_kept_states(const EngineLaunch& launch, std::string_view version) {
  const SpeculativeConfig drafts = speculation_of(launch.config);
  KeptStates kept{.of_drafts = drafts.on() ? drafts.steps : 0};
  const VllmStates& known = row_of_version(kVllmStates, version);
  if (launch.config.enable_prefix_caching && known.keeps)
    kept.keeping =
        writes_within(known, launch, version) ? StateKeeping::WithinChunks : StateKeeping::AtChunkEnds;
  return kept;
}

StatePoolRule sglang_state_pool(const EngineLaunch& launch, std::optional<std::int64_t> asked_requests) {
  constexpr std::int64_t kRunningAndTree = 3, kTracked = 2, kTrackedInTurn = 1;
  const ServingConfig& config = launch.config;
  const std::int64_t ranks = launch.sharding.attention_data_parallel;
  const auto of_rank = [&](std::int64_t all) { return std::max<std::int64_t>(1, all / ranks); };
  StatePoolRule rule{.ratio = config.mamba_full_memory_ratio};
  if (config.enable_prefix_caching) {
    const bool tracks = tracks_states(launch.model);
    const std::int64_t tracked = !tracks                                  ? 0
                                 : config.async_scheduling.value_or(true) ? kTracked
                                                                          : kTrackedInTurn;
    rule.slots_of_request = kRunningAndTree + tracked;
    rule.held_slots = 1 + tracked;
  }
  rule.requests = of_rank(max_num_seqs_of(config));
  if (config.max_mamba_cache_size)
    rule.slots = *config.max_mamba_cache_size / ranks;
  else if (!config.enable_prefix_caching && asked_requests)
    rule.slots = of_rank(*asked_requests);
  if (const SpeculativeConfig drafts = speculation_of(config); drafts.on())
    rule.verified_tokens = drafts.verified_tokens;
  return rule;
}

}  // namespace warploom
