#include "warploom/serving/config/serving_config.h"

#include <array>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/serving/field_topics.h"

namespace warploom {
namespace {

using C = ServingConfig;
using Names = std::array<std::string_view, 1>;

constexpr Names kVllm{name_of(Engine::Vllm)}, kSglang{name_of(Engine::Sglang)},
    kTrtllm{name_of(Engine::TensorRtLlm)};
constexpr std::array<std::string_view, 2> kVllmAndSglang{kVllm[0], kSglang[0]};
constexpr std::array<std::string_view, 2> kSglangAndTrtllm{kSglang[0], kTrtllm[0]};

constexpr std::array<std::string_view, 5> kGraphModes{"FULL_AND_PIECEWISE", "FULL", "PIECEWISE",
                                                      "FULL_DECODE_ONLY", "NONE"};
constexpr std::array<std::string_view, 9> kMoeBackends{
    "auto",      "triton",  "flashinfer_cutlass", "flashinfer_trtllm", "marlin",
    "deep_gemm", "megamoe", "deep_gemm_mega_moe", "flashinfer_cutedsl"};
constexpr std::array<std::string_view, 3> kFp8GemmBackends{"auto", "deep_gemm", "flashinfer_trtllm"};
// vLLM's on NVIDIA's GPUs.
constexpr std::array<std::string_view, 4> kGdnPrefillBackends{"auto", "flashinfer", "triton", "cutedsl"};
constexpr std::array<std::string_view, 2> kCapacityPolicies{"guaranteed_no_evict", "max_utilization"};
constexpr std::array<std::string_view, 2> kSchedulingPolicies{"fcfs", "priority"};
constexpr std::array<std::string_view, 4> kSchedulePolicies{"fcfs", "lpm", "lof", "random"};
constexpr std::array<std::string_view, 3> kAll2allBackends{"allgather_reducescatter",
                                                           "deepep_high_throughput", "deepep_low_latency"};
constexpr std::array<std::string_view, 3> kMoeA2aBackends{"none", "deepep", "megamoe"};
constexpr std::array<std::string_view, 2> kEncoderModes{"weights", kWholeImages};
constexpr std::array<std::string_view, 3> kEplbAlgorithms{"auto", "deepseek", "deepseek_hierarchical"};
constexpr std::array<std::string_view, 3> kDeepEpModes{"auto", "normal", "low_latency"};

constexpr std::array<std::string_view, 2> kAnyDrafter{"speculative_config", "speculative_algorithm"};
constexpr std::array<std::string_view, 2> kBelowGpu{"kv_offloading_size", "enable_hierarchical_cache"};
constexpr Names kWaitSteps{"batch_wait_timeout_iters"}, kWaitRatio{"batch_wait_max_tokens_ratio"};
constexpr Names kBalance{"attention_dp_balance"};
constexpr Names kAlgorithm{"speculative_algorithm"}, kAdapters{"enable_lora"},
    kHostTier{"enable_hierarchical_cache"}, kDisk{"kv_disk_size"}, kExchange{"moe_a2a_backend"},
    kSpreadExperts{"enable_expert_parallel"}, kPlacedExperts{"enable_eplb"}, kTwoHalves{"enable_dbo"},
    kApart{"num_ffn_ranks"};

void add_limits(FieldList<C>& list) {
  list.add("engine", &C::engine, {.doc = "engine whose scheduler is modelled"})
      .add("max_num_seqs", &C::max_num_seqs,
           {.doc = "requests in a batch", .min = 1, .max = 1e6, .topic = kBatchTopic})
      .add("max_num_batched_tokens", &C::max_num_batched_tokens,
           {.doc = "new tokens in a step", .min = 1, .max = 1e8, .topic = kBatchTopic})
      .add("max_model_len", &C::max_model_len,
           {.doc = "longest prompt plus output, in tokens", .min = 1, .max = 1e9, .topic = kQueueTopic})
      .add("num_gpu_blocks_override", &C::num_gpu_blocks_override,
           {.doc = "KV blocks of one replica, instead of what memory allows",
            .min = 1,
            .max = 1e9,
            .topic = kMemoryTopic})
      .add("long_prefill_token_threshold", &C::long_prefill_token_threshold,
           {.doc = "most tokens of one prompt in a step, 0 for no limit",
            .min = 0,
            .max = 1e8,
            .topic = kPromptTopic,
            .owners = kVllm})
      .add("block_size", &C::block_size,
           {.doc = "tokens in a KV block", .min = 1, .max = 65536, .topic = kMemoryTopic})
      .add("gpu_memory_utilization", &C::gpu_memory_utilization,
           {.doc = "share of GPU memory that the engine may use (sglang: for weights and KV; trtllm: of what "
                   "the model leaves, for KV)",
            .min = 0.01,
            .max = 1,
            .topic = kMemoryTopic})
      .add("chunked_prefill_size", &C::chunked_prefill_size,
           {.doc = "prompt tokens in a step, 0 for no limit",
            .min = 0,
            .max = 1e8,
            .topic = kQueueTopic,
            .owners = kSglang})
      .add("kv_cache_dtype", &C::kv_cache_dtype,
           {.doc = "element type of the KV cache, auto for the model's"});
}

void add_scheduling(FieldList<C>& list) {
  list.add("enable_chunked_prefill", &C::enable_chunked_prefill,
           {.doc = "split prompts over steps", .topic = kPromptTopic})
      .add("enable_prefix_caching", &C::enable_prefix_caching,
           {.doc = "reuse the KV blocks of equal prefixes", .topic = kQueueTopic})
      .add("scheduler_reserve_full_isl", &C::scheduler_reserve_full_isl,
           {.doc = "admit a request only when its whole prompt fits into the free KV blocks",
            .topic = kQueueTopic,
            .owners = kVllm})
      .add("async_scheduling", &C::async_scheduling, {.doc = "schedule the next step while one runs"})
      .add("enforce_eager", &C::enforce_eager, {.doc = "no CUDA graphs", .topic = kGraphTopic})
      .add("cudagraph_mode", &C::cudagraph_mode,
           {.doc = "which steps run as CUDA graphs", .choices = kGraphModes, .owners = kVllm})
      .add("max_cudagraph_capture_size", &C::max_cudagraph_capture_size,
           {.doc = "tokens of the largest step captured as a CUDA graph",
            .min = 1,
            .max = 65536,
            .topic = kGraphTopic})
      .add("cudagraph_capture_sizes", &C::cudagraph_capture_sizes,
           {.doc = "tokens of every step captured as a CUDA graph, in place of the engine's rule",
            .min = 1,
            .max = 65536,
            .topic = kGraphTopic})
      .add("schedule_conservativeness", &C::schedule_conservativeness,
           {.doc = "factor of the output that admission expects",
            .min = 0,
            .max = 100,
            .topic = kQueueTopic,
            .owners = kSglang})
      .add("mamba_full_memory_ratio", &C::mamba_full_memory_ratio,
           {.doc = "bytes of recurrent states to bytes of keys and values",
            .min = 1e-3,
            .max = 1e3,
            .topic = kMemoryTopic,
            .owners = kSglang})
      .add("max_mamba_cache_size", &C::max_mamba_cache_size,
           {.doc = "slots of recurrent states, in place of the ratio; one that runs takes up to five",
            .min = 1,
            .max = 1e9,
            .topic = kMemoryTopic,
            .owners = kSglang})
      .add("enable_mixed_chunk", &C::enable_mixed_chunk,
           {.doc = "decode in the steps that prefill", .topic = kQueueTopic, .owners = kSglang})
      .add("scheduler_recv_interval", &C::scheduler_recv_interval,
           {.doc = "decode steps between two looks for new requests",
            .min = 1,
            .max = 1e6,
            .topic = kQueueTopic,
            .owners = kSglang});
}

void add_kernels_and_queues(FieldList<C>& list) {
  list.add("moe_backend", &C::moe_backend, {.doc = "kernels of the experts", .choices = kMoeBackends})
      .add("fp8_gemm_backend", &C::fp8_gemm_backend,
           {.doc = "kernels of block-scaled products", .choices = kFp8GemmBackends, .owners = kSglang})
      .add("gdn_prefill_backend", &C::gdn_prefill_backend,
           {.doc = "kernels of prompts in gated delta nets; auto: as vLLM chooses by GPU and release",
            .choices = kGdnPrefillBackends,
            .owners = kVllm})
      .add("enable_flashinfer_allreduce_fusion", &C::enable_flashinfer_allreduce_fusion,
           {.doc = "all-reduces of few tokens add and normalise; absent: as the engine chooses",
            .owners = kSglang})
      .add("capacity_scheduler_policy", &C::capacity_scheduler_policy,
           {.doc = "when a request may start",
            .choices = kCapacityPolicies,
            .topic = kQueueTopic,
            .owners = kTrtllm})
      .add("batch_wait_timeout_iters", &C::batch_wait_timeout_iters,
           {.doc = "steps that new prompts wait for more of them while others decode",
            .min = 0,
            .max = 1e6,
            .topic = kQueueTopic,
            .owners = kTrtllm,
            .needs = kWaitRatio})
      .add("batch_wait_max_tokens_ratio", &C::batch_wait_max_tokens_ratio,
           {.doc = "share of a step's tokens at which they wait no longer",
            .min = 0,
            .max = 1,
            .topic = kQueueTopic,
            .owners = kTrtllm,
            .needs = kWaitSteps})
      .add("attention_dp_balance", &C::attention_dp_balance,
           {.doc = "ranks of data-parallel attention start their prompts together",
            .topic = kQueueTopic,
            .owners = kTrtllm})
      .add("attention_dp_timeout_iters", &C::attention_dp_timeout_iters,
           {.doc = "steps after which prompts start though some rank has none",
            .min = 1,
            .max = 1e6,
            .topic = kQueueTopic,
            .owners = kTrtllm,
            .needs = kBalance})
      .add("attention_dp_batching_wait_iters", &C::attention_dp_batching_wait_iters,
           {.doc = "steps that prompts wait for more of them once every rank has one",
            .min = 0,
            .max = 1e6,
            .topic = kQueueTopic,
            .owners = kTrtllm,
            .needs = kBalance})
      .add("scheduling_policy", &C::scheduling_policy,
           {.doc = "order of the queue",
            .choices = kSchedulingPolicies,
            .topic = kQueueTopic,
            .owners = kVllm})
      .add("schedule_policy", &C::schedule_policy,
           {.doc = "order of the queue",
            .choices = kSchedulePolicies,
            .topic = kQueueTopic,
            .owners = kSglang});
}

void add_speculation(FieldList<C>& list) {
  list.add("speculative_config", &C::speculative_config,
           {.doc = R"(JSON such as {"method": "eagle3", "num_speculative_tokens": 3})", .topic = kDraftTopic})
      .add("speculative_algorithm", &C::speculative_algorithm,
           {.doc = "EAGLE, EAGLE3, NEXTN, STANDALONE, NGRAM, DFLASH or DSPARK",
            .topic = kDraftTopic,
            .owners = kSglang})
      .add("speculative_draft_model_path", &C::speculative_draft_model_path,
           {.doc = "draft model", .topic = kDraftTopic, .owners = kSglang, .needs = kAlgorithm})
      .add("speculative_num_steps", &C::speculative_num_steps,
           {.doc = "tokens proposed one after another",
            .min = 1,
            .max = 64,
            .topic = kDraftTopic,
            .owners = kSglang,
            .needs = kAlgorithm})
      .add("speculative_eagle_topk", &C::speculative_eagle_topk,
           {.doc = "branches of the draft's tree",
            .min = 1,
            .max = 64,
            .topic = kDraftTopic,
            .owners = kSglang,
            .needs = kAlgorithm})
      .add("speculative_num_draft_tokens", &C::speculative_num_draft_tokens,
           {.doc = "tokens of a request in a verifying step",
            .min = 1,
            .max = 1024,
            .topic = kDraftTopic,
            .owners = kSglang,
            .needs = kAlgorithm})
      .add("acceptance_rates", &C::acceptance_rates,
           {.doc = "share of drafts accepted up to each position",
            .min = 0,
            .max = 1,
            .topic = kDraftTopic,
            .needs = kAnyDrafter})
      .add("acceptance_length", &C::acceptance_length,
           {.doc = "mean tokens that a verifying step yields",
            .min = 1,
            .max = 65,
            .topic = kDraftTopic,
            .needs = kAnyDrafter})
      .add("proposal_rate", &C::proposal_rate,
           {.doc = "share of steps in which a draft is found (ngram)",
            .min = 0,
            .max = 1,
            .topic = kDraftTopic,
            .needs = kAnyDrafter});
}

void add_cache_tiers_and_adapters(FieldList<C>& list) {
  list.add("kv_offloading_size", &C::kv_offloading_size,
           {.unit = "GiB",
            .doc = "host memory for evicted prefixes",
            .min = 0,
            .max = 1e6,
            .topic = kTierTopic,
            .owners = kVllm})
      .add("kv_offloading_backend", &C::kv_offloading_backend,
           {.doc = "native", .topic = kTierTopic, .owners = kVllm})
      .add("enable_hierarchical_cache", &C::enable_hierarchical_cache,
           {.doc = "host memory for evicted prefixes", .topic = kTierTopic, .owners = kSglang})
      .add("hicache_ratio", &C::hicache_ratio,
           {.doc = "size of that memory over the GPU's KV cache",
            .min = 0,
            .max = 1000,
            .topic = kTierTopic,
            .owners = kSglang,
            .needs = kHostTier})
      .add("hicache_size", &C::hicache_size,
           {.unit = "GB",
            .doc = "the same of each rank, instead of the ratio",
            .min = 0,
            .max = 1e6,
            .topic = kTierTopic,
            .owners = kSglang,
            .needs = kHostTier})
      .add("kv_disk_size", &C::kv_disk_size,
           {.unit = "GiB",
            .doc = "disk for prefixes evicted from host memory",
            .min = 0,
            .max = 1e9,
            .topic = kTierTopic})
      .add("kv_disk_bandwidth_gb_per_s", &C::kv_disk_bandwidth,
           {.unit = "GB/s",
            .doc = "speed of that disk",
            .min = 0.01,
            .max = 1e4,
            .scale = 1e9,
            .topic = kTierTopic,
            .needs = kDisk})
      .add("kv_fetch", &C::kv_fetch,
           {.doc = "which prefixes come back from host memory and disk",
            .topic = kTierTopic,
            .needs = kBelowGpu})
      .add("enable_lora", &C::enable_lora,
           {.doc = "adapters beside every linear layer", .topic = kAdapterTopic})
      .add(
          "max_loras", &C::max_loras,
          {.doc = "adapters in one batch", .min = 1, .max = 1024, .topic = kAdapterTopic, .needs = kAdapters})
      .add(
          "max_lora_rank", &C::max_lora_rank,
          {.doc = "rank of the adapters", .min = 1, .max = 1024, .topic = kAdapterTopic, .needs = kAdapters});
}

void add_parallelism(FieldList<C>& list) {
  list.add("instances", &C::instances,
           {.doc = "copies of the engine behind one router", .min = 1, .max = 65536, .topic = kReplicaTopic})
      .add("tensor_parallel_size", &C::tensor_parallel_size,
           {.doc = "GPUs that share each layer", .min = 1, .max = 1024, .topic = kParallelTopic})
      .add("pipeline_parallel_size", &C::pipeline_parallel_size,
           {.doc = "GPUs that share the layers out", .min = 1, .max = 1024, .topic = kParallelTopic})
      .add("data_parallel_size", &C::data_parallel_size,
           {.doc = "replicas", .min = 1, .max = 65536, .topic = kParallelTopic})
      .add("decode_context_parallel_size", &C::decode_context_parallel_size,
           {.doc = "tensor-parallel GPUs that share out the cached tokens of a request",
            .min = 1,
            .max = 1024,
            .topic = kParallelTopic,
            .owners = kVllmAndSglang})
      .add("prefill_context_parallel_size", &C::prefill_context_parallel_size,
           {.doc = "further GPUs that share out the new tokens of prompts",
            .min = 1,
            .max = 1024,
            .topic = kParallelTopic,
            .owners = kVllm})
      .add("enable_dp_attention", &C::enable_dp_attention,
           {.doc = "data-parallel attention within the tensor-parallel GPUs",
            .topic = kParallelTopic,
            .owners = kSglangAndTrtllm})
      .add("enable_expert_parallel", &C::enable_expert_parallel,
           {.doc = "spread experts over the GPUs whole", .topic = kParallelTopic})
      .add("all2all_backend", &C::all2all_backend,
           {.doc = "how tokens reach experts",
            .choices = kAll2allBackends,
            .topic = kParallelTopic,
            .owners = kVllm})
      .add("moe_a2a_backend", &C::moe_a2a_backend,
           {.doc = "how tokens reach experts",
            .choices = kMoeA2aBackends,
            .topic = kParallelTopic,
            .owners = kSglang})
      .add("deepep_mode", &C::deepep_mode,
           {.doc = "which of DeepEP's kernels",
            .choices = kDeepEpModes,
            .topic = kParallelTopic,
            .owners = kSglang,
            .needs = kExchange})
      .add("mm_encoder_tp_mode", &C::mm_encoder_tp_mode,
           {.doc = "how GPUs share an encoder of images: by its weights, or each whole images",
            .choices = kEncoderModes,
            .topic = kImageTopic,
            .owners = kVllmAndSglang})
      .add("routing_policy", &C::routing_policy,
           {.doc = "how requests are given out to replicas", .topic = kReplicaTopic});
}

void add_placement(FieldList<C>& list) {
  list.add("enable_eplb", &C::enable_eplb,
           {.doc = "place experts by the load of each, replicas among them",
            .topic = kParallelTopic,
            .owners = kVllmAndSglang,
            .needs = kSpreadExperts})
      .add("num_redundant_experts", &C::num_redundant_experts,
           {.doc = "replicas beyond one of each expert, over all GPUs",
            .min = 0,
            .max = 4096,
            .topic = kParallelTopic,
            .owners = kVllmAndSglang,
            .needs = kPlacedExperts})
      .add("eplb_algorithm", &C::eplb_algorithm,
           {.doc = "whether groups of experts stay in a node",
            .choices = kEplbAlgorithms,
            .topic = kParallelTopic,
            .owners = kSglang,
            .needs = kPlacedExperts});
}

void add_halves(FieldList<C>& list) {
  list.add("enable_dbo", &C::enable_dbo,
           {.doc = "steps in two halves, one exchanging with its experts while the other computes",
            .topic = kParallelTopic,
            .owners = kVllm,
            .needs = kSpreadExperts})
      .add("dbo_decode_token_threshold", &C::dbo_decode_token_threshold,
           {.doc = "least tokens of a rank in steps that decode alone, for two halves",
            .min = 2,
            .max = 1e8,
            .topic = kParallelTopic,
            .owners = kVllm,
            .needs = kTwoHalves})
      .add("dbo_prefill_token_threshold", &C::dbo_prefill_token_threshold,
           {.doc = "least tokens of a rank in steps with prompts, for two halves",
            .min = 2,
            .max = 1e8,
            .topic = kParallelTopic,
            .owners = kVllm,
            .needs = kTwoHalves})
      .add("enable_two_batch_overlap", &C::enable_two_batch_overlap,
           {.doc = "steps in two halves, one exchanging with its experts while the other computes",
            .topic = kParallelTopic,
            .owners = kSglang,
            .needs = kExchange})
      .add("nvfp4_dispatch", &C::nvfp4_dispatch,
           {.doc = "tokens travel to experts in nvfp4 as they are (SGLANG_MOE_NVFP4_DISPATCH)",
            .topic = kParallelTopic,
            .owners = kSglang,
            .needs = kExchange});
}

void add_sides(FieldList<C>& list) {
  list.add("num_attention_ranks", &C::num_attention_ranks,
           {.doc = "GPUs that hold attention, where experts are on others: tensor_parallel_size times "
                   "data_parallel_size",
            .min = 1,
            .max = 4096,
            .topic = kParallelTopic,
            .needs = kApart})
      .add("num_ffn_ranks", &C::num_ffn_ranks,
           {.doc = "further GPUs that hold the experts apart from attention (AFD)",
            .min = 0,
            .max = 4096,
            .topic = kParallelTopic})
      .add("num_afd_stages", &C::num_afd_stages,
           {.doc = "micro-batches that take turns on both sides",
            .min = 1,
            .max = 16,
            .topic = kParallelTopic,
            .needs = kApart})
      .add("compute_gate_on_attention", &C::compute_gate_on_attention,
           {.doc = "attention ranks choose experts and send tokens to the ranks that hold them",
            .topic = kParallelTopic,
            .needs = kApart});
}

}  // namespace

FieldTable ServingConfig::describe() {
  FieldList<C> list("serving_config");
  add_limits(list);
  add_scheduling(list);
  add_kernels_and_queues(list);
  add_speculation(list);
  add_cache_tiers_and_adapters(list);
  add_parallelism(list);
  add_placement(list);
  add_halves(list);
  add_sides(list);
  return list.add("host", &C::host, {.doc = "what the CPU adds to a step"}).table();
}

std::string default_engine() { return std::string(kVllm[0]); }

std::string_view engine_of_field(std::string_view field) {
  const Field* known = fields_of<ServingConfig>().find(field);
  return known != nullptr && known->options.owners.size() == 1 ? known->options.owners[0]
                                                               : std::string_view();
}

std::int64_t max_num_seqs_of(const ServingConfig& config) {
  return config.max_num_seqs.value_or(kSmallMaxNumSeqs);
}

std::int64_t max_num_batched_tokens_of(const ServingConfig& config) {
  return config.max_num_batched_tokens.value_or(kSmallMaxNumBatchedTokens);
}

}  // namespace warploom
