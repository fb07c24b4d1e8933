#include "warploom/cli/option_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// What decides who waits, who is cut and who is sent where.
constexpr std::array<std::string_view, 17> kQueue{"max_model_len",
                                                  "long_prefill_token_threshold",
                                                  "chunked_prefill_size",
                                                  "enable_chunked_prefill",
                                                  "enable_prefix_caching",
                                                  "scheduler_reserve_full_isl",
                                                  "async_scheduling",
                                                  "schedule_conservativeness",
                                                  "enable_mixed_chunk",
                                                  "scheduler_recv_interval",
                                                  "capacity_scheduler_policy",
                                                  "scheduling_policy",
                                                  "schedule_policy",
                                                  "routing_policy",
                                                  "instances",
                                                  "frontend_latency_ms",
                                                  "frontend_per_token_us"};
// Where evicted prefixes go.
constexpr std::array<std::string_view, 7> kTiers{
    "kv_offloading_size", "kv_offloading_backend", "enable_hierarchical_cache", "hicache_ratio",
    "hicache_size",       "kv_disk_size",          "kv_disk_bandwidth_gb_per_s"};
constexpr std::array<std::string_view, 9> kDrafts{
    "speculative_config",    "speculative_algorithm",  "speculative_draft_model_path",
    "speculative_num_steps", "speculative_eagle_topk", "speculative_num_draft_tokens",
    "acceptance_rates",      "acceptance_length",      "proposal_rate"};
constexpr std::array<std::string_view, 3> kAdapters{"enable_lora", "max_loras", "max_lora_rank"};
constexpr std::array<std::string_view, 2> kBatchLimits{"max_num_seqs", "max_num_batched_tokens"};
constexpr std::array<std::string_view, 2> kGraphs{"enforce_eager", "max_cudagraph_capture_size"};
constexpr std::array<std::string_view, 5> kMemory{"num_gpu_blocks_override", "block_size",
                                                  "gpu_memory_utilization", "max_num_seqs",
                                                  "max_num_batched_tokens"};

bool holds(std::span<const std::string_view> list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string_view command_of(SetupUse use) {
  return use == SetupUse::Step ? "step" : use == SetupUse::StaticBatch ? "static" : "diagnose";
}

// Why `field` does not bear on `use`; empty when it does.
std::string_view reason_of(SetupUse use, std::string_view engine, std::string_view field) {
  if (use == SetupUse::Run) return {};
  if (holds(kQueue, field)) return "its requests are one batch that waits for nothing";
  if (holds(kTiers, field)) return "nothing is evicted from one batch";
  if (holds(kDrafts, field)) return "drafts need requests that end at different times";
  if (holds(kAdapters, field) && use != SetupUse::StaticBatch) return "adapters are not among its kernels";
  if (holds(kMemory, field) && use == SetupUse::Diagnosis) return "it looks at kernels and no memory limit";
  // SGLang's memory does not depend on the limits of a batch; vLLM's and TensorRT-LLM's does.
  if (holds(kBatchLimits, field) && engine == "sglang") return "its batch is given";
  if (holds(kGraphs, field) && engine != "vllm" && use != SetupUse::StaticBatch)
    return "its kernels are priced at the size of the batch and not of a CUDA graph";
  return {};
}

struct Companion {
  std::string_view field, needed;
  bool (*present)(const ServingConfig&);
};

bool speculates(const ServingConfig& config) {
  return !config.speculative_config.empty() || !config.speculative_algorithm.empty();
}
bool drafts_with_sglang(const ServingConfig& config) { return !config.speculative_algorithm.empty(); }
bool has_adapters(const ServingConfig& config) { return config.enable_lora; }
bool has_host_tier(const ServingConfig& config) { return config.enable_hierarchical_cache; }
bool has_disk(const ServingConfig& config) { return config.kv_disk_size.has_value(); }
bool has_deepep(const ServingConfig& config) { return config.moe_a2a_backend == "deepep"; }

constexpr std::string_view kDrafter = "--speculative-config or --speculative-algorithm";
constexpr std::array<Companion, 13> kCompanions{{
    {"acceptance_rates", kDrafter, speculates},
    {"acceptance_length", kDrafter, speculates},
    {"proposal_rate", kDrafter, speculates},
    {"speculative_draft_model_path", "--speculative-algorithm", drafts_with_sglang},
    {"speculative_num_steps", "--speculative-algorithm", drafts_with_sglang},
    {"speculative_num_draft_tokens", "--speculative-algorithm", drafts_with_sglang},
    {"speculative_eagle_topk", "--speculative-algorithm", drafts_with_sglang},
    {"max_loras", "--enable-lora", has_adapters},
    {"max_lora_rank", "--enable-lora", has_adapters},
    {"hicache_ratio", "--enable-hierarchical-cache", has_host_tier},
    {"hicache_size", "--enable-hierarchical-cache", has_host_tier},
    {"kv_disk_bandwidth_gb_per_s", "--kv-disk-size", has_disk},
    {"deepep_mode", "--moe-a2a-backend deepep", has_deepep},
}};

}  // namespace

void check_scope(SetupUse use, std::string_view engine, std::string_view field, std::string_view option) {
  const std::string_view reason = reason_of(use, engine, field);
  if (reason.empty()) return;
  throw InvalidInput(fmt::format("{} is not modelled by `{}`: {}; expected it with `warploom simulate`",
                                 option, command_of(use), reason));
}

void check_companion(const ServingConfig& config, std::string_view field, std::string_view option) {
  for (const Companion& companion : kCompanions)
    if (companion.field == field && !companion.present(config))
      throw InvalidInput(
          fmt::format("{} changes nothing by itself, expected {} too", option, companion.needed));
}

void check_drafts(SetupUse use, const ServingConfig& config) {
  if (use != SetupUse::Run && speculates(config))
    check_scope(use, config.engine, "speculative_config", "speculative decoding");
}

void check_decode_scope(std::string_view field, std::string_view option) {
  if (field != "enable_chunked_prefill" && field != "long_prefill_token_threshold") return;
  throw InvalidInput(
      fmt::format("{} is not modelled: a decode pool computes no prompts, expected it of the "
                  "prefill pool",
                  option));
}

}  // namespace warploom
