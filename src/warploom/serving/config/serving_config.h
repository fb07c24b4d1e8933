// How the engine is started. Field names are vLLM's flag names (dashes as underscores) and, of what vLLM
// lacks, those of the engine that has it; the names that other engines give to the same things are their own
// (EngineSpec::flags). Which engine has a field, what it may hold and what it is about stand in describe().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/models/kv_layout.h"
#include "warploom/models/state_pool.h"
#include "warploom/serving/config/kv_fetch_rule.h"
#include "warploom/serving/host/host_model.h"
#include "warploom/serving/pricing/graph_sizes.h"
#include "warploom/serving/routing/router.h"

namespace warploom {

// What vLLM takes on a small GPU, and what stands in a configuration that was never resolved.
inline constexpr std::int64_t kSmallMaxNumSeqs = 256, kSmallMaxNumBatchedTokens = 2048;

// A value of mm_encoder_tp_mode: each GPU encodes whole images.
inline constexpr std::string_view kWholeImages = "data";

// The engine that is meant where none is named.
std::string default_engine();

struct ServingConfig {
  std::string engine = default_engine();  // a name of engines/engine_registry.h
  // Absent: the engine's default, see resolve_defaults.
  std::optional<std::int64_t> max_num_seqs;
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<std::int64_t> max_model_len;            // absent: requests of any length
  std::optional<std::int64_t> num_gpu_blocks_override;  // KV blocks of one replica; absent: no limit
  std::int64_t long_prefill_token_threshold = 0;        // 0: none
  std::optional<std::int64_t> chunked_prefill_size;     // tokens of prompts in a step; 0: no limit
  std::optional<std::int64_t> block_size;               // tokens in a KV block
  std::optional<double> gpu_memory_utilization;         // share of GPU memory, see EngineSpec::memory_share
  std::string kv_cache_dtype = "auto";
  std::optional<bool> enable_chunked_prefill;
  bool enable_prefix_caching = true;  // where the workload says what prompts share
  bool scheduler_reserve_full_isl = true;
  std::optional<bool> async_scheduling;
  bool enforce_eager = false;
  std::optional<std::string> cudagraph_mode;
  std::optional<std::int64_t> max_cudagraph_capture_size;
  std::vector<std::int64_t> cudagraph_capture_sizes;  // empty: by the engine's rule
  double mamba_full_memory_ratio = 0.9;               // bytes of recurrent states to those of keys and values
  std::optional<std::int64_t> max_mamba_cache_size;   // slots of such states, in place of the ratio
  double schedule_conservativeness = 1;               // factor of the output that admission expects
  bool enable_mixed_chunk = false;                    // decode in the steps that prefill
  std::int64_t scheduler_recv_interval = 1;           // decode steps between looks at the queue
  std::string capacity_scheduler_policy = "guaranteed_no_evict";
  std::int64_t batch_wait_timeout_iters = 0;  // steps that prompts wait for others beside decoding requests,
  double batch_wait_max_tokens_ratio = 0;     // unless a step would hold this share of its tokens
  bool attention_dp_balance = false;          // ranks of attention start their prompts together,
  std::int64_t attention_dp_timeout_iters = 50;        // after so many steps in any case, and
  std::int64_t attention_dp_batching_wait_iters = 10;  // when all have had one for so many steps
  std::string moe_backend = "auto";
  std::string fp8_gemm_backend = "auto";
  std::string gdn_prefill_backend = "auto";
  std::optional<bool> enable_flashinfer_allreduce_fusion;  // norms within all-reduces
  std::string scheduling_policy = "fcfs";
  std::string schedule_policy = "fcfs";  // see sglang_scheduler.h
  // Speculative decoding, read by speculation_of. vLLM's JSON, or flags.
  std::string speculative_config;
  std::string speculative_algorithm, speculative_draft_model_path;
  std::optional<std::int64_t> speculative_num_steps, speculative_eagle_topk, speculative_num_draft_tokens;
  std::vector<double> acceptance_rates;     // of each position, unconditional
  std::optional<double> acceptance_length;  // mean tokens of a verifying step
  double proposal_rate = 1;
  // Where the keys and values of evicted prefixes go, see kv_tiers.h. Whole replica.
  std::optional<double> kv_offloading_size;  // GiB
  std::string kv_offloading_backend = "native";
  bool enable_hierarchical_cache = false;
  double hicache_ratio = 2;                    // of the GPU's cache
  std::optional<double> hicache_size;          // GB of each rank, instead of the ratio
  std::optional<double> kv_disk_size;          // GiB; no engine's flag
  BytesPerSecond kv_disk_bandwidth{6e9};       // a PCIe 4 NVMe drive's data sheet
  KvFetchRule kv_fetch = KvFetchRule::Faster;  // no engine's flag
  // Adapters, see lora.h.
  bool enable_lora = false;
  std::int64_t max_loras = 1;
  std::int64_t max_lora_rank = 16;
  std::int64_t instances = 1;  // copies of all this behind one router
  std::int64_t tensor_parallel_size = 1;
  std::int64_t pipeline_parallel_size = 1;
  std::int64_t data_parallel_size = 1;
  std::int64_t decode_context_parallel_size = 1;
  std::int64_t prefill_context_parallel_size = 1;
  bool enable_dp_attention = false;  // see spread_attention
  bool enable_expert_parallel = false;
  std::string all2all_backend = "allgather_reducescatter";
  std::string moe_a2a_backend = "none", deepep_mode = "auto";
  std::string mm_encoder_tp_mode = "weights";  // of the encoder of images; "data": each GPU whole images
  bool enable_eplb = false;                    // experts are placed by load, see place_experts
  std::int64_t num_redundant_experts = 0;
  std::string eplb_algorithm = "auto";
  bool enable_dbo = false;  // steps in two halves, see overlap_of
  std::int64_t dbo_decode_token_threshold = 32, dbo_prefill_token_threshold = 512;
  bool enable_two_batch_overlap = false;
  bool nvfp4_dispatch = false;  // of experts in nvfp4, to which tokens else go in bf16
  // Attention and feed-forward on GPUs of their own, see afd_plan.h; names of vLLM's afd-plugin.
  std::optional<std::int64_t> num_attention_ranks;  // tensor_parallel_size x data_parallel_size
  std::int64_t num_ffn_ranks = 0;                   // 0: experts are where attention is
  std::int64_t num_afd_stages = 2;                  // micro-batches of a step
  bool compute_gate_on_attention = false;
  RoutingPolicy routing_policy = RoutingPolicy::Engine;  // over replicas
  HostModel host;
  KvLayout kv_layout;                      // of the model's layers in the blocks of this engine; no flag
  StatePool state_pool;                    // beside those blocks; no flag
  GraphSizes graph_sizes;                  // of this version of the engine; no flag
  bool experts_skip_padding = false;       // likewise (EngineDefaults)
  bool images_wait_apart = false;          // likewise
  std::int64_t graphed_prompt_tokens = 0;  // see EngineSpec; no flag
  std::int64_t most_image_tokens = 0;      // of the largest image that the model reads; no flag
  // `host` where its machine is at an end of what is known of it, in a run at that end; no flag.
  std::optional<HostModel> host_at_end;

  // GPUs that hold one data-parallel rank.
  std::int64_t gpus_per_rank() const {
    return tensor_parallel_size * pipeline_parallel_size * prefill_context_parallel_size;
  }
  // GPUs of so many data-parallel ranks that step together.
  std::int64_t gpus_of(std::int64_t ranks) const { return ranks * gpus_per_rank() + num_ffn_ranks; }
  static FieldTable describe();
};

// The engine that alone has `field`; empty when every engine or several have it.
std::string_view engine_of_field(std::string_view field);

// As configured, else what vLLM takes on a small GPU.
std::int64_t max_num_seqs_of(const ServingConfig& config);
std::int64_t max_num_batched_tokens_of(const ServingConfig& config);

}  // namespace warploom
