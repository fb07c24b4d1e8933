#include "warploom/serving/engine_flags.h"

#include <array>

namespace warploom {
namespace {

constexpr std::array<EngineFlag, 13> kSglang{{
    {"max_running_requests", "max_num_seqs", "requests in a batch"},
    {"max_prefill_tokens", "max_num_batched_tokens", "prompt tokens admitted into a step"},
    {"mem_fraction_static", "gpu_memory_utilization", "share of GPU memory for weights and KV cache"},
    {"page_size", "block_size", "tokens in a KV block"},
    {"context_length", "max_model_len", "longest prompt plus output, in tokens"},
    {"max_total_tokens", "num_gpu_blocks_override", "tokens in the KV cache of one replica"},
    {"tp_size", "tensor_parallel_size", "GPUs that share each layer"},
    {"pp_size", "pipeline_parallel_size", "GPUs that share the layers out"},
    {"dp_size", "data_parallel_size", "replicas"},
    {"ep_size", "enable_expert_parallel", "GPUs that hold experts whole", false, true},
    {"disable_radix_cache", "enable_prefix_caching", "no reuse of equal prefixes", true},
    {"disable_overlap_schedule", "async_scheduling", "schedule between steps", true},
    {"disable_cuda_graph", "enforce_eager", "no CUDA graphs", false, false, true},
}};

constexpr std::array<EngineFlag, 7> kTrtllm{{
    {"max_batch_size", "max_num_seqs", "requests in a batch"},
    {"max_num_tokens", "max_num_batched_tokens", "tokens in a step"},
    {"max_seq_len", "max_model_len", "longest prompt plus output, in tokens"},
    {"kv_cache_free_gpu_memory_fraction", "gpu_memory_utilization",
     "share of the memory that the model leaves, for the KV cache"},
    {"tokens_per_block", "block_size", "tokens in a KV block"},
    {"tp_size", "tensor_parallel_size", "GPUs that share each layer"},
    {"ep_size", "enable_expert_parallel", "GPUs that hold experts whole", false, true},
}};

}  // namespace

std::span<const EngineFlag> engine_flags(std::string_view engine) {
  if (engine == "sglang") return kSglang;
  if (engine == "trtllm") return kTrtllm;
  return {};
}

std::string_view engine_of_field(std::string_view field) {
  if (field == "chunked_prefill_size" || field == "schedule_conservativeness" ||
      field == "enable_mixed_chunk" || field == "scheduler_recv_interval")
    return "sglang";
  if (field == "capacity_scheduler_policy") return "trtllm";
  if (field == "long_prefill_token_threshold" || field == "scheduler_reserve_full_isl") return "vllm";
  return {};
}

}  // namespace warploom
