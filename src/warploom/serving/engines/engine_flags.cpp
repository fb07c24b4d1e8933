#include "warploom/serving/engines/engine_flags.h"

#include <algorithm>
#include <array>

namespace warploom {
namespace {

constexpr std::array<EngineFlag, 17> kSglang{{
    {"max_running_requests", "max_num_seqs", "requests in a batch"},
    {"max_prefill_tokens", "max_num_batched_tokens", "prompt tokens admitted into a step"},
    {"mem_fraction_static", "gpu_memory_utilization", "share of GPU memory for weights and KV cache"},
    {"page_size", "block_size", "tokens in a KV block"},
    {"context_length", "max_model_len", "longest prompt plus output, in tokens"},
    {"max_total_tokens", "num_gpu_blocks_override", "tokens in the KV cache of one replica"},
    {"max_loras_per_batch", "max_loras", "adapters in one batch"},
    {"tp_size", "tensor_parallel_size", "GPUs that share each layer"},
    {"pp_size", "pipeline_parallel_size", "GPUs that share the layers out"},
    {"dp_size", "data_parallel_size", "replicas"},
    {"ep_size", "enable_expert_parallel", "GPUs that hold experts whole", false, true},
    {"moe_runner_backend", "moe_backend", "kernels of the experts"},
    {"dcp_size", "decode_context_parallel_size", "GPUs that share out the cached tokens of a request"},
    {"cuda_graph_max_bs", "max_cudagraph_capture_size",
     "requests of the largest step captured as a CUDA graph"},
    {"disable_radix_cache", "enable_prefix_caching", "no reuse of equal prefixes", true},
    {"disable_overlap_schedule", "async_scheduling", "schedule between steps", true},
    {"disable_cuda_graph", "enforce_eager", "no CUDA graphs", false, false, true},
}};

constexpr std::array<EngineFlag, 10> kTrtllm{{
    {"max_batch_size", "max_num_seqs", "requests in a batch"},
    {"max_num_tokens", "max_num_batched_tokens", "tokens in a step"},
    {"max_seq_len", "max_model_len", "longest prompt plus output, in tokens"},
    {"kv_cache_free_gpu_memory_fraction", "gpu_memory_utilization",
     "share of the memory that the model leaves, for the KV cache"},
    {"tokens_per_block", "block_size", "tokens in a KV block"},
    {"tp_size", "tensor_parallel_size", "GPUs that share each layer"},
    {"ep_size", "enable_expert_parallel", "GPUs that hold experts whole", false, true},
    {"pp_size", "pipeline_parallel_size", "GPUs that share the layers out"},
    {"cuda_graph_max_batch_size", "max_cudagraph_capture_size",
     "requests of the largest step captured as a CUDA graph"},
    {"enable_attention_dp", "enable_dp_attention", "data-parallel attention", false, false, true},
}};

}  // namespace

std::span<const EngineFlag> engine_flags(std::string_view engine) {
  if (engine == "sglang") return kSglang;
  if (engine == "trtllm") return kTrtllm;
  return {};
}

std::string_view engine_of_field(std::string_view field) {
  constexpr std::array<std::string_view, 18> kOfSglang{"chunked_prefill_size",
                                                       "scheduler_recv_interval",
                                                       "schedule_conservativeness",
                                                       "enable_mixed_chunk",
                                                       "schedule_policy",
                                                       "speculative_algorithm",
                                                       "speculative_draft_model_path",
                                                       "speculative_num_steps",
                                                       "speculative_eagle_topk",
                                                       "speculative_num_draft_tokens",
                                                       "enable_hierarchical_cache",
                                                       "hicache_ratio",
                                                       "hicache_size",
                                                       "moe_a2a_backend",
                                                       "fp8_gemm_backend",
                                                       "enable_flashinfer_allreduce_fusion",
                                                       "deepep_mode",
                                                       "enable_dp_attention"};
  constexpr std::array<std::string_view, 9> kOfVllm{"all2all_backend",
                                                    "prefill_context_parallel_size",
                                                    "long_prefill_token_threshold",
                                                    "cudagraph_mode",
                                                    "max_cudagraph_capture_size",
                                                    "scheduler_reserve_full_isl",
                                                    "scheduling_policy",
                                                    "kv_offloading_size",
                                                    "kv_offloading_backend"};
  if (std::find(kOfSglang.begin(), kOfSglang.end(), field) != kOfSglang.end()) return "sglang";
  if (std::find(kOfVllm.begin(), kOfVllm.end(), field) != kOfVllm.end()) return "vllm";
  if (field == "capacity_scheduler_policy") return "trtllm";
  return {};
}

}  // namespace warploom
