// How the engine is started. Field names are vLLM's flag names (dashes as underscores).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "warploom/base/fields.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"
#include "warploom/serving/host_model.h"

namespace warploom {

struct ServingConfig {
  std::string engine = "vllm";  // a scheduler of batching/scheduler_registry.h
  // Absent: the engine's default, see resolve_defaults.
  std::optional<std::int64_t> max_num_seqs;
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<std::int64_t> max_model_len;            // absent: requests of any length
  std::optional<std::int64_t> num_gpu_blocks_override;  // KV blocks of one replica; absent: no limit
  std::int64_t long_prefill_token_threshold = 0;        // 0: none
  std::int64_t block_size = 16;
  double gpu_memory_utilization = 0.9;
  std::string kv_cache_dtype = "auto";
  bool enable_chunked_prefill = true;
  bool enable_prefix_caching = true;  // without effect while prompts carry no content
  bool scheduler_reserve_full_isl = true;
  bool async_scheduling = true;
  bool enforce_eager = false;
  std::int64_t tensor_parallel_size = 1;
  std::int64_t pipeline_parallel_size = 1;
  std::int64_t data_parallel_size = 1;
  bool enable_expert_parallel = false;
  HostModel host;

  static FieldTable describe();
};

// Fills max_num_seqs and max_num_batched_tokens the way `vllm serve` does since 0.8.5: 1024 and 8192 on GPUs
// of at least 70 GiB other than A100, else 256 and 2048 (vllm/engine/arg_utils.py, get_batch_defaults).
void resolve_defaults(ServingConfig& config, const GpuSpec& gpu);

// How the engine spreads the model: vLLM's data-parallel ranks of a mixture of experts share its experts and
// step together (attention_data_parallel), those of a dense model are independent replicas. Checked by
// check_sharding's callers.
Sharding sharding_of(const ServingConfig& config, const ModelArchitecture& model);

// Throws InvalidInput on values out of range and combinations the engine refuses.
void check_config(const ServingConfig& config);

// Blocks that fit into what gpu_memory_utilization leaves after weights and activations, for one replica; all
// sizes are those of one GPU. <= 0 when the model does not fit.
std::int64_t kv_cache_blocks(const ServingConfig& config, Bytes memory_capacity, Bytes weights,
                             Bytes activations, Bytes kv_bytes_per_token);

}  // namespace warploom
