#include "warploom/serving/engines/engine_defaults.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

// As configured, else what vLLM takes today.
std::string_view graph_mode_of(const ServingConfig& config) {
  return config.cudagraph_mode ? std::string_view(*config.cudagraph_mode) : kNewestGraphMode;
}

}  // namespace

void resolve_defaults(ServingConfig& config, const GpuSpec& gpu, std::string_view version) {
  const EngineDefaults defaults = engine_named(config.engine).defaults(config, gpu, version);
  if (!config.max_num_seqs) config.max_num_seqs = defaults.max_num_seqs;
  if (!config.max_num_batched_tokens) config.max_num_batched_tokens = defaults.max_num_batched_tokens;
  if (!config.chunked_prefill_size) config.chunked_prefill_size = defaults.chunked_prefill_size;
  if (!config.async_scheduling) config.async_scheduling = defaults.async_scheduling;
  if (!config.cudagraph_mode) config.cudagraph_mode = defaults.cudagraph_mode;
  config.graph_sizes = defaults.graph_sizes;
  config.experts_skip_padding = defaults.experts_skip_padding;
  config.images_wait_apart = defaults.images_wait_apart;
  if (!config.gpu_memory_utilization) config.gpu_memory_utilization = defaults.gpu_memory_utilization;
  config.enable_chunked_prefill = chunks_prompts(config);
  config.block_size = block_size_of(config);
}

bool chunks_prompts(const ServingConfig& config) {
  return config.enable_chunked_prefill.value_or(engine_named(config.engine).chunks_prompts);
}

std::int64_t block_size_of(const ServingConfig& config) {
  return config.block_size.value_or(engine_named(config.engine).block_size);
}

bool schedules_ahead(const ServingConfig& config) { return config.async_scheduling.value_or(true); }

std::vector<std::int64_t> graph_sizes_of(const ServingConfig& config, std::int64_t query_tokens) {
  return cuda_graph_sizes(max_num_seqs_of(config), config.enforce_eager || graph_mode_of(config) == "NONE",
                          query_tokens, config.max_cudagraph_capture_size, config.graph_sizes,
                          config.cudagraph_capture_sizes);
}

std::vector<std::int64_t> prompt_graph_sizes_of(const ServingConfig& config) {
  const GraphLimits limits = graph_limits_of(config);
  if (engine_named(config.engine).graphs_prompts || limits.prompts == 0) return {};
  return graph_sizes_by_rule(engine_named(config.engine).prompt_graph_sizes, limits.prompts);
}

GraphLimits graph_limits_of(const ServingConfig& config) {
  const std::vector<std::int64_t> sizes = graph_sizes_of(config);
  const std::int64_t largest = sizes.empty() ? 0 : sizes.back();
  const std::string_view mode = graph_mode_of(config);
  const std::int64_t prompts = engine_named(config.engine).graphs_prompts ? largest
                               : largest > 0                              ? config.graphed_prompt_tokens
                                                                          : 0;
  return {.decode = largest,
          .prompts = mode != "FULL_DECODE_ONLY" ? prompts : 0,
          .decode_in_pieces = mode == "PIECEWISE",
          .prompts_in_pieces = mode != "FULL"};
}

RoutingPolicy balance_of(const ServingConfig& config) {
  return config.data_parallel_size > 1 ? engine_named(config.engine).balance : RoutingPolicy::RoundRobin;
}

void check_config(const ServingConfig& config) {
  check(config, "serving configuration");
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
  engine_named(config.engine).check(config);
}

}  // namespace warploom
