#include "warploom/serving/serving_config.h"

#include <fmt/format.h>

#include <cmath>

#include "warploom/base/error.h"

namespace warploom {

FieldTable ServingConfig::describe() {
  using C = ServingConfig;
  return FieldList<C>("serving_config")
      .add("engine", &C::engine, {.doc = "engine whose scheduler is modelled"})
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
           {.doc = "share of GPU memory that the engine may use", .min = 0.01, .max = 1})
      .add("kv_cache_dtype", &C::kv_cache_dtype,
           {.doc = "element type of the KV cache, auto for the model's"})
      .add("enable_chunked_prefill", &C::enable_chunked_prefill, {.doc = "split prompts over steps"})
      .add("enable_prefix_caching", &C::enable_prefix_caching,
           {.doc = "reuse the KV blocks of equal prefixes"})
      .add("scheduler_reserve_full_isl", &C::scheduler_reserve_full_isl,
           {.doc = "admit a request only when its whole prompt fits into the free KV blocks"})
      .add("async_scheduling", &C::async_scheduling, {.doc = "schedule the next step while one runs"})
      .add("enforce_eager", &C::enforce_eager, {.doc = "no CUDA graphs"})
      .add("tensor_parallel_size", &C::tensor_parallel_size,
           {.doc = "GPUs that share each layer", .min = 1, .max = 1024})
      .add("pipeline_parallel_size", &C::pipeline_parallel_size,
           {.doc = "GPUs that share the layers out", .min = 1, .max = 1024})
      .add("data_parallel_size", &C::data_parallel_size, {.doc = "replicas", .min = 1, .max = 65536})
      .add("enable_expert_parallel", &C::enable_expert_parallel,
           {.doc = "spread experts over the GPUs whole"})
      .add("host", &C::host, {.doc = "what the CPU adds to a step"})
      .table();
}

void resolve_defaults(ServingConfig& config, const GpuSpec& gpu) {
  const bool large = gpu.memory_capacity >= gibibytes(70) && gpu.name.find("a100") == std::string::npos;
  if (!config.max_num_seqs) config.max_num_seqs = large ? 1024 : 256;
  if (!config.max_num_batched_tokens) config.max_num_batched_tokens = large ? 8192 : 2048;
}

Sharding sharding_of(const ServingConfig& config, const ModelArchitecture& model) {
  Sharding sharding;
  sharding.tensor_parallel = config.tensor_parallel_size;
  sharding.pipeline_parallel = config.pipeline_parallel_size;
  if (model.mixture) {
    sharding.attention_data_parallel = config.data_parallel_size;
    if (config.enable_expert_parallel) {
      sharding.expert_parallel = config.tensor_parallel_size * config.data_parallel_size;
    }
  } else {
    if (config.enable_expert_parallel) {
      throw InvalidInput(fmt::format(
          "enable_expert_parallel: {} has no experts, expected a mixture-of-experts model", model.name));
    }
    sharding.data_parallel = config.data_parallel_size;
  }
  return sharding;
}

void check_config(const ServingConfig& config) {
  check(config, "serving configuration");
  if (config.max_num_seqs && config.max_num_batched_tokens &&
      *config.max_num_batched_tokens < *config.max_num_seqs) {
    throw InvalidInput(fmt::format(
        "serving configuration: max_num_batched_tokens is {}, expected at least max_num_seqs, which is {}",
        *config.max_num_batched_tokens, *config.max_num_seqs));
  }
}

std::int64_t kv_cache_blocks(const ServingConfig& config, Bytes memory_capacity, Bytes weights,
                             Bytes activations, Bytes kv_bytes_per_token) {
  const Bytes free = config.gpu_memory_utilization * memory_capacity - weights - activations;
  const Bytes block = double(config.block_size) * kv_bytes_per_token;
  return std::int64_t(std::floor(free / block));
}

}  // namespace warploom
