#include "warploom/serving/config/serving_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "warploom/base/error.h"
#include "warploom/serving/engines/cuda_graph.h"
#include "warploom/serving/engines/kernel_names.h"

namespace warploom {

namespace {

void add_scheduling(FieldList<ServingConfig>& list) {
  using C = ServingConfig;
  list.add("engine", &C::engine, {.doc = "engine whose scheduler is modelled"})
      .add("max_num_seqs", &C::max_num_seqs, {.doc = "requests in a batch", .min = 1, .max = 1e6})
      .add("max_num_batched_tokens", &C::max_num_batched_tokens,
           {.doc = "new tokens in a step", .min = 1, .max = 1e8})
      .add("max_model_len", &C::max_model_len,
           {.doc = "longest prompt plus output, in tokens", .min = 1, .max = 1e9})
      .add("num_gpu_blocks_override", &C::num_gpu_blocks_override,
           {.doc = "KV blocks of one replica, instead of what memory allows", .min = 1, .max = 1e9})
      .add("long_prefill_token_threshold", &C::long_prefill_token_threshold,
           {.doc = "most tokens of one prompt in a step, 0 for no limit", .min = 0, .max = 1e8})
      .add("block_size", &C::block_size, {.doc = "tokens in a KV block", .min = 1, .max = 65536})
      .add("gpu_memory_utilization", &C::gpu_memory_utilization,
           {.doc = "share of GPU memory that the engine may use (sglang: for weights and KV; trtllm: of what "
                   "the model leaves, for KV)",
            .min = 0.01,
            .max = 1})
      .add("chunked_prefill_size", &C::chunked_prefill_size,
           {.doc = "prompt tokens in a step, 0 for no limit (sglang)", .min = 0, .max = 1e8})
      .add("kv_cache_dtype", &C::kv_cache_dtype,
           {.doc = "element type of the KV cache, auto for the model's"})
      .add("enable_chunked_prefill", &C::enable_chunked_prefill, {.doc = "split prompts over steps"})
      .add("enable_prefix_caching", &C::enable_prefix_caching,
           {.doc = "reuse the KV blocks of equal prefixes"})
      .add("scheduler_reserve_full_isl", &C::scheduler_reserve_full_isl,
           {.doc = "admit a request only when its whole prompt fits into the free KV blocks"})
      .add("async_scheduling", &C::async_scheduling, {.doc = "schedule the next step while one runs"})
      .add("enforce_eager", &C::enforce_eager, {.doc = "no CUDA graphs"})
      .add("cudagraph_mode", &C::cudagraph_mode,
           {.doc = "FULL_AND_PIECEWISE, FULL, PIECEWISE, FULL_DECODE_ONLY or NONE (vllm)"})
      .add("max_cudagraph_capture_size", &C::max_cudagraph_capture_size,
           {.doc = "tokens of the largest step captured as a CUDA graph (vllm)", .min = 1, .max = 65536})
      .add("schedule_conservativeness", &C::schedule_conservativeness,
           {.doc = "factor of the output that admission expects (sglang)", .min = 0, .max = 100})
      .add("enable_mixed_chunk", &C::enable_mixed_chunk, {.doc = "decode in the steps that prefill (sglang)"})
      .add("scheduler_recv_interval", &C::scheduler_recv_interval,
           {.doc = "decode steps between two looks for new requests (sglang)", .min = 1, .max = 1e6})
      .add("moe_backend", &C::moe_backend,
           {.doc = "auto, triton, flashinfer_cutlass, flashinfer_trtllm or marlin: kernels of the experts"})
      .add("fp8_gemm_backend", &C::fp8_gemm_backend,
           {.doc = "auto, deep_gemm or flashinfer_trtllm: kernels of block-scaled products (sglang)"})
      .add("enable_flashinfer_allreduce_fusion", &C::enable_flashinfer_allreduce_fusion,
           {.doc = "all-reduces of few tokens add and normalise (sglang; absent: as it chooses)"})
      .add("capacity_scheduler_policy", &C::capacity_scheduler_policy,
           {.doc = "guaranteed_no_evict or max_utilization (trtllm)"});
}

void add_speculation(FieldList<ServingConfig>& list) {
  using C = ServingConfig;
  list.add("scheduling_policy", &C::scheduling_policy, {.doc = "fcfs or priority (vllm)"})
      .add("schedule_policy", &C::schedule_policy, {.doc = "fcfs, lpm, lof or random (sglang)"})
      .add("speculative_config", &C::speculative_config,
           {.doc = R"(JSON such as {"method": "eagle3", "num_speculative_tokens": 3})"})
      .add("speculative_algorithm", &C::speculative_algorithm,
           {.doc = "EAGLE, EAGLE3, NEXTN, STANDALONE or NGRAM (sglang)"})
      .add("speculative_draft_model_path", &C::speculative_draft_model_path, {.doc = "draft model (sglang)"})
      .add("speculative_num_steps", &C::speculative_num_steps,
           {.doc = "tokens proposed one after another (sglang)", .min = 1, .max = 64})
      .add("speculative_eagle_topk", &C::speculative_eagle_topk,
           {.doc = "branches of the draft's tree (sglang)", .min = 1, .max = 64})
      .add("speculative_num_draft_tokens", &C::speculative_num_draft_tokens,
           {.doc = "tokens of a request in a verifying step (sglang)", .min = 1, .max = 1024})
      .add("acceptance_rates", &C::acceptance_rates,
           {.doc = "share of drafts accepted up to each position", .min = 0, .max = 1})
      .add("acceptance_length", &C::acceptance_length,
           {.doc = "mean tokens that a verifying step yields", .min = 1, .max = 65})
      .add("proposal_rate", &C::proposal_rate,
           {.doc = "share of steps in which a draft is found (ngram)", .min = 0, .max = 1});
}

void add_cache_tiers_and_adapters(FieldList<ServingConfig>& list) {
  using C = ServingConfig;
  list.add("kv_offloading_size", &C::kv_offloading_size,
           {.unit = "GiB", .doc = "host memory for evicted prefixes", .min = 0, .max = 1e6})
      .add("kv_offloading_backend", &C::kv_offloading_backend, {.doc = "native (vllm)"})
      .add("enable_hierarchical_cache", &C::enable_hierarchical_cache,
           {.doc = "host memory for evicted prefixes (sglang)"})
      .add("hicache_ratio", &C::hicache_ratio,
           {.doc = "size of that memory over the GPU's KV cache (sglang)", .min = 0, .max = 1000})
      .add(
          "hicache_size", &C::hicache_size,
          {.unit = "GB", .doc = "the same of each rank, instead of the ratio (sglang)", .min = 0, .max = 1e6})
      .add("kv_disk_size", &C::kv_disk_size,
           {.unit = "GiB", .doc = "disk for prefixes evicted from host memory", .min = 0, .max = 1e9})
      .add("kv_disk_bandwidth_gb_per_s", &C::kv_disk_bandwidth,
           {.unit = "GB/s", .doc = "speed of that disk", .min = 0.01, .max = 1e4, .scale = 1e9})
      .add("enable_lora", &C::enable_lora, {.doc = "adapters beside every linear layer"})
      .add("max_loras", &C::max_loras, {.doc = "adapters in one batch", .min = 1, .max = 1024})
      .add("max_lora_rank", &C::max_lora_rank, {.doc = "rank of the adapters", .min = 1, .max = 1024});
}

}  // namespace

FieldTable ServingConfig::describe() {
  using C = ServingConfig;
  FieldList<C> list("serving_config");
  add_scheduling(list);
  add_speculation(list);
  add_cache_tiers_and_adapters(list);
  return list
      .add("instances", &C::instances,
           {.doc = "copies of the engine behind one router", .min = 1, .max = 65536})
      .add("tensor_parallel_size", &C::tensor_parallel_size,
           {.doc = "GPUs that share each layer", .min = 1, .max = 1024})
      .add("pipeline_parallel_size", &C::pipeline_parallel_size,
           {.doc = "GPUs that share the layers out", .min = 1, .max = 1024})
      .add("data_parallel_size", &C::data_parallel_size, {.doc = "replicas", .min = 1, .max = 65536})
      .add("decode_context_parallel_size", &C::decode_context_parallel_size,
           {.doc = "tensor-parallel GPUs that share out the cached tokens of a request (vllm, sglang)",
            .min = 1,
            .max = 1024})
      .add("prefill_context_parallel_size", &C::prefill_context_parallel_size,
           {.doc = "further GPUs that share out the new tokens of prompts (vllm)", .min = 1, .max = 1024})
      .add("enable_dp_attention", &C::enable_dp_attention,
           {.doc = "data-parallel attention within the tensor-parallel GPUs (sglang, trtllm)"})
      .add("enable_expert_parallel", &C::enable_expert_parallel,
           {.doc = "spread experts over the GPUs whole"})
      .add("all2all_backend", &C::all2all_backend,
           {.doc = "allgather_reducescatter, deepep_high_throughput or deepep_low_latency: how tokens reach "
                   "experts (vllm)"})
      .add("moe_a2a_backend", &C::moe_a2a_backend,
           {.doc = "none or deepep: how tokens reach experts (sglang)"})
      .add("deepep_mode", &C::deepep_mode, {.doc = "auto, normal or low_latency (sglang)"})
      .add("routing_policy", &C::routing_policy, {.doc = "how requests are given out to replicas"})
      .add("host", &C::host, {.doc = "what the CPU adds to a step"})
      .table();
}

namespace {

struct EngineDefaults {
  std::int64_t max_num_seqs, max_num_batched_tokens, block_size;
  bool chunked_prefill;
  MemoryShare memory_share;
};
constexpr EngineDefaults kLargeVllm{1024, 8192, 16, true, MemoryShare::Engine};
constexpr EngineDefaults kSmallVllm{256, 2048, 16, true, MemoryShare::Engine};
constexpr EngineDefaults kSglang{2048, 16384, 1, true, MemoryShare::StaticPart};
constexpr EngineDefaults kTrtllm{2048, 8192, 32, false, MemoryShare::FreePart};

EngineDefaults defaults_of(std::string_view engine, bool large) {
  if (engine == "sglang") return kSglang;
  if (engine == "trtllm") return kTrtllm;
  return large ? kLargeVllm : kSmallVllm;
}

struct ChunkBelow {
  double memory_gib;
  std::int64_t tokens;
};
constexpr std::array<ChunkBelow, 3> kSglangChunks{{{35, 2048}, {60, 4096}, {160, 8192}}};
constexpr std::int64_t kSglangLargestChunk = 16384;

std::int64_t sglang_chunk(const GpuSpec& gpu) {
  for (const ChunkBelow& step : kSglangChunks)
    if (to_gibibytes(gpu.memory_capacity) < step.memory_gib) return step.tokens;
  return kSglangLargestChunk;
}

// Share of memory for weights and KV: SGLang keeps 1.5 MiB a token of a chunk, 2 MiB a sequence of the
// largest CUDA graph and a GiB for every eight GPUs (server_args.py).
double sglang_share(const ServingConfig& config, const GpuSpec& gpu) {
  const double memory = to_gibibytes(gpu.memory_capacity) * 1024;
  const double graph = to_gibibytes(gpu.memory_capacity) < 60 ? 160 : 512;
  const double ranks = double(config.tensor_parallel_size * config.pipeline_parallel_size);
  const double chunk = double(config.chunked_prefill_size.value_or(sglang_chunk(gpu)));
  const double kept = 1.5 * chunk + 2 * graph + ranks / 8 * 1024;
  return std::clamp((memory - kept) / memory, 0.5, 0.95);
}

}  // namespace

bool chunks_prompts(const ServingConfig& config) {
  return config.enable_chunked_prefill.value_or(defaults_of(config.engine, true).chunked_prefill);
}

std::vector<std::int64_t> graph_sizes_of(const ServingConfig& config, std::int64_t query_tokens) {
  return cuda_graph_sizes(max_num_seqs_of(config), config.enforce_eager || config.cudagraph_mode == "NONE",
                          query_tokens, config.max_cudagraph_capture_size);
}

std::int64_t largest_prefill_graph(const ServingConfig& config) {
  if (config.engine != "vllm" || config.cudagraph_mode == "FULL_DECODE_ONLY") return 0;
  const std::vector<std::int64_t> sizes = graph_sizes_of(config);
  return sizes.empty() ? 0 : sizes.back();
}

std::int64_t block_size_of(const ServingConfig& config) {
  return config.block_size.value_or(defaults_of(config.engine, true).block_size);
}

std::int64_t max_num_seqs_of(const ServingConfig& config) {
  return config.max_num_seqs.value_or(kSmallVllm.max_num_seqs);
}

std::int64_t max_num_batched_tokens_of(const ServingConfig& config) {
  return config.max_num_batched_tokens.value_or(kSmallVllm.max_num_batched_tokens);
}

MemoryShare memory_share_of(const ServingConfig& config) {
  return defaults_of(config.engine, true).memory_share;
}

void resolve_defaults(ServingConfig& config, const GpuSpec& gpu) {
  const bool large = gpu.memory_capacity >= gibibytes(70) && gpu.name.find("a100") == std::string::npos;
  const EngineDefaults defaults = defaults_of(config.engine, large);
  if (!config.max_num_seqs) config.max_num_seqs = defaults.max_num_seqs;
  if (!config.max_num_batched_tokens) config.max_num_batched_tokens = defaults.max_num_batched_tokens;
  if (!config.chunked_prefill_size && config.engine == "sglang")
    config.chunked_prefill_size = sglang_chunk(gpu);
  if (!config.gpu_memory_utilization)
    config.gpu_memory_utilization = config.engine == "sglang" ? sglang_share(config, gpu) : 0.9;
  config.enable_chunked_prefill = chunks_prompts(config);
  config.block_size = block_size_of(config);
}

void check_config(const ServingConfig& config) {
  check(config, "serving configuration");
  check_moe_backend(config.moe_backend);
  check_fp8_gemm_backend(config.fp8_gemm_backend);
  constexpr std::array<std::string_view, 5> kGraphModes{"FULL_AND_PIECEWISE", "FULL", "PIECEWISE",
                                                        "FULL_DECODE_ONLY", "NONE"};
  if (std::find(kGraphModes.begin(), kGraphModes.end(), config.cudagraph_mode) == kGraphModes.end()) {
    throw InvalidInput(fmt::format("serving configuration: cudagraph_mode is '{}', expected one of: {}",
                                   config.cudagraph_mode, fmt::join(kGraphModes, ", ")));
  }
  if (config.scheduling_policy != "fcfs" && config.scheduling_policy != "priority") {
    throw InvalidInput(
        fmt::format("serving configuration: scheduling_policy is '{}', expected fcfs or priority",
                    config.scheduling_policy));
  }
  if (config.kv_offloading_backend != "native") {
    throw Unsupported(
        fmt::format("kv_offloading_backend '{}' is not modelled: blocks are copied as vLLM's own connector "
                    "copies them, expected native",
                    config.kv_offloading_backend));
  }
  if (config.speculative_eagle_topk.value_or(1) != 1) {
    throw Unsupported(
        fmt::format("speculative_eagle_topk {} is not modelled: drafts are one path and no tree, expected 1",
                    *config.speculative_eagle_topk));
  }
  if (config.capacity_scheduler_policy != "guaranteed_no_evict" &&
      config.capacity_scheduler_policy != "max_utilization") {
    throw InvalidInput(fmt::format(
        "serving configuration: capacity_scheduler_policy is '{}', expected guaranteed_no_evict or "
        "max_utilization",
        config.capacity_scheduler_policy));
  }
  if (config.engine == "vllm" && config.max_num_seqs && config.max_num_batched_tokens &&
      *config.max_num_batched_tokens < *config.max_num_seqs) {
    throw InvalidInput(fmt::format(
        "serving configuration: max_num_batched_tokens is {}, expected at least max_num_seqs, which is {}",
        *config.max_num_batched_tokens, *config.max_num_seqs));
  }
}

}  // namespace warploom
