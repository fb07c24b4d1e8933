// How the engine is started. Field names are vLLM's flag names (dashes as underscores); the names that other
// engines give to the same things are in engine_flags.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/models/architecture.h"
#include "warploom/models/kv_layout.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/serving/host/host_model.h"
#include "warploom/serving/routing/router.h"

namespace warploom {

struct ServingConfig {
  std::string engine = "vllm";  // a scheduler of batching/scheduler_registry.h
  // Absent: the engine's default, see resolve_defaults.
  std::optional<std::int64_t> max_num_seqs;
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<std::int64_t> max_model_len;            // absent: requests of any length
  std::optional<std::int64_t> num_gpu_blocks_override;  // KV blocks of one replica; absent: no limit
  std::int64_t long_prefill_token_threshold = 0;        // 0: none
  std::optional<std::int64_t> chunked_prefill_size;     // SGLang: tokens of prompts in a step; 0: no limit
  std::optional<std::int64_t> block_size;               // tokens in a KV block
  std::optional<double> gpu_memory_utilization;         // share of GPU memory, see memory_share
  std::string kv_cache_dtype = "auto";
  std::optional<bool> enable_chunked_prefill;
  bool enable_prefix_caching = true;  // where the workload says what prompts share
  bool scheduler_reserve_full_isl = true;
  bool async_scheduling = true;
  bool enforce_eager = false;
  // vLLM: FULL_AND_PIECEWISE, FULL, PIECEWISE, FULL_DECODE_ONLY or NONE; captured up to so many tokens.
  std::string cudagraph_mode = "FULL_AND_PIECEWISE";
  std::optional<std::int64_t> max_cudagraph_capture_size;
  double schedule_conservativeness = 1;      // SGLang: factor of the output that admission expects
  bool enable_mixed_chunk = false;           // SGLang: decode in the steps that prefill
  std::int64_t scheduler_recv_interval = 1;  // SGLang: decode steps between looks at the queue
  std::string capacity_scheduler_policy = "guaranteed_no_evict";  // TensorRT-LLM
  std::string moe_backend = "auto";                               // see kernel_names.h
  std::string fp8_gemm_backend = "auto";                          // SGLang: see kernel_names.h
  std::optional<bool> enable_flashinfer_allreduce_fusion;         // SGLang: norms within all-reduces
  std::string scheduling_policy = "fcfs";                         // vLLM: fcfs or priority
  std::string schedule_policy = "fcfs";                           // SGLang: see sglang_scheduler.h
  // Speculative decoding, read by speculation_of. vLLM's JSON, or SGLang's flags.
  std::string speculative_config;
  std::string speculative_algorithm, speculative_draft_model_path;
  std::optional<std::int64_t> speculative_num_steps, speculative_eagle_topk, speculative_num_draft_tokens;
  std::vector<double> acceptance_rates;     // of each position, unconditional
  std::optional<double> acceptance_length;  // mean tokens of a verifying step
  double proposal_rate = 1;
  // Where the keys and values of evicted prefixes go, see kv_tiers.h. Whole replica.
  std::optional<double> kv_offloading_size;  // vLLM, GiB
  std::string kv_offloading_backend = "native";
  bool enable_hierarchical_cache = false;  // SGLang
  double hicache_ratio = 2;                // of the GPU's cache
  std::optional<double> hicache_size;      // GB of each rank, instead of the ratio
  std::optional<double> kv_disk_size;      // GiB; no engine's flag
  BytesPerSecond kv_disk_bandwidth{6e9};   // a PCIe 4 NVMe drive's data sheet
  // Adapters, see lora.h.
  bool enable_lora = false;
  std::int64_t max_loras = 1;
  std::int64_t max_lora_rank = 16;
  std::int64_t instances = 1;  // copies of all this behind one router
  std::int64_t tensor_parallel_size = 1;
  std::int64_t pipeline_parallel_size = 1;
  std::int64_t data_parallel_size = 1;
  std::int64_t decode_context_parallel_size = 1;   // vLLM, SGLang
  std::int64_t prefill_context_parallel_size = 1;  // vLLM
  bool enable_dp_attention = false;                // SGLang, TensorRT-LLM; see spread_attention
  bool enable_expert_parallel = false;
  std::string all2all_backend = "allgather_reducescatter";     // vLLM
  std::string moe_a2a_backend = "none", deepep_mode = "auto";  // SGLang
  RoutingPolicy routing_policy = RoutingPolicy::Engine;        // over replicas
  HostModel host;
  KvLayout kv_layout;  // of the model's layers in the blocks of this engine; no flag

  // GPUs that hold one data-parallel rank.
  std::int64_t gpus_per_rank() const {
    return tensor_parallel_size * pipeline_parallel_size * prefill_context_parallel_size;
  }
  static FieldTable describe();
};

// Fills what is absent the way the engine does.
//   vllm    1024 sequences and 8192 tokens on GPUs of at least 70 GiB other than A100, else 256 and 2048
//           (vllm/engine/arg_utils.py, get_batch_defaults); blocks of 16 tokens; 0.9 of the memory
//   sglang  2048 sequences, 16384 prompt tokens, chunks of 2048 to 16384 by memory (server_args.py); blocks
//   of
//           one token; memory: what chunks, CUDA graphs and tensor parallelism leave
//   trtllm  2048 sequences, 8192 tokens, blocks of 32, prompts not cut; 0.9 of what the model leaves
//           (llmapi/llm_args.py)
// Other engines get vLLM's.
void resolve_defaults(ServingConfig& config, const GpuSpec& gpu);

// Whether prompts may be split over steps: as configured, else not under trtllm.
bool chunks_prompts(const ServingConfig& config);
// Tokens in a KV block: as configured, else the engine's.
std::int64_t block_size_of(const ServingConfig& config);
// As configured, else what vLLM takes on a small GPU.
std::int64_t max_num_seqs_of(const ServingConfig& config);
std::int64_t max_num_batched_tokens_of(const ServingConfig& config);
// The step sizes that run as CUDA graphs, see cuda_graph.h; `query_tokens` of each decoding request.
std::vector<std::int64_t> graph_sizes_of(const ServingConfig& config, std::int64_t query_tokens = 1);
// Tokens of the largest step with parts of prompts that runs as CUDA graphs; 0: such steps are launched
// kernel by kernel, as SGLang and TensorRT-LLM do.
std::int64_t largest_prefill_graph(const ServingConfig& config);
// Whether a step of `tokens` new tokens, `chunk_tokens` of them in parts of prompts (requests with several
// new tokens that are no drafts), launches its kernels one by one: HostModel's prefill_floor then holds.
inline bool launches_one_by_one(std::int64_t chunk_tokens, std::int64_t tokens,
                                std::int64_t largest_prefill_graph) {
  return chunk_tokens > 0 && tokens > largest_prefill_graph;
}
// What gpu_memory_utilization is a share of.
MemoryShare memory_share_of(const ServingConfig& config);

// Throws InvalidInput on values out of range and combinations the engine refuses.
void check_config(const ServingConfig& config);

}  // namespace warploom
