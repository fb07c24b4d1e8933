#include "warploom/app/plan/configured_setups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "warploom/app/plan/plan_refusals.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/engines/parallelism.h"

namespace warploom {
namespace {

std::string at_or(const std::vector<std::string>& list, std::size_t index, const std::string& fallback) {
  return list.empty() ? fallback : list[index];
}

void choose_exchange(MoeExchange exchange, ServingConfig& config) {
  if (engine_named(config.engine).ask_for_exchange(exchange, config)) return;
  throw Unsupported(fmt::format("moe_exchanges: {} has no {}, expected another exchange or engine",
                                config.engine, name_of(exchange)));
}

}  // namespace

bool computes_prompts(const Configuration& configuration, const EngineShape& shape) {
  return !configuration.decode || &shape != &*configuration.decode;
}

SimulateRequest encoder_request_of(const PlanRequest& request, const Configuration& configuration) {
  SimulateRequest encoders;
  encoders.setup = setup_request_of(request, configuration, configuration.shape);
  encoders.encoder.instances = std::max<std::int64_t>(1, configuration.encoders);
  encoders.source = request.source;
  return encoders;
}

ServingSetupRequest setup_request_of(const PlanRequest& request, const Configuration& configuration,
                                     const EngineShape& shape) {
  const SearchSpace& space = request.space;
  ServingSetupRequest setup;
  setup.model = request.model;
  setup.files = request.files;
  setup.gpu = space.gpus[shape.gpu];
  setup.predictor = request.predictor;
  setup.expert_routing = request.expert_routing;
  setup.host.profile = request.host_profile;
  setup.host.machine = request.machine;
  setup.host.measured_at = request.measured_at;
  setup.network = request.network;
  const auto [engine, version] =
      engine_and_version(at_or(space.engines, configuration.engine, default_engine()));
  setup.config.engine = engine;
  setup.version = version;
  const std::string scheme = at_or(space.quantizations, configuration.quantization, "stored");
  if (scheme != "stored") setup.quantization = scheme;
  setup.config.kv_cache_dtype = request.kv_cache_dtype;
  setup.config.gpu_memory_utilization = request.gpu_memory_utilization;
  setup.config.speculative_config =
      draft_config(at_or(space.speculations, configuration.speculation, "none"));
  if (!setup.config.speculative_config.empty()) setup.config.acceptance_length = request.acceptance_length;
  if (configuration.max_num_seqs > 0) setup.config.max_num_seqs = configuration.max_num_seqs;
  if (configuration.max_num_batched_tokens > 0)
    setup.config.max_num_batched_tokens = configuration.max_num_batched_tokens;
  setup.config.enable_prefix_caching = configuration.prefix_caching;
  if (configuration.kv_offloading_gib > 0) setup.config.kv_offloading_size = configuration.kv_offloading_gib;
  setup.config.tensor_parallel_size = shape.tensor_parallel;
  setup.config.pipeline_parallel_size = shape.pipeline_parallel;
  setup.config.enable_expert_parallel = shape.expert_parallel;
  setup.config.enable_eplb = shape.redundant_experts > 0;
  setup.config.num_redundant_experts = shape.redundant_experts;
  setup.config.num_ffn_ranks = shape.feed_forward_ranks;
  if (shape.feed_forward_ranks > 0) {
    setup.config.num_afd_stages = shape.micro_batches;
    // Tokens that go to the ranks of their experts directly pass one exchange in place of two.
    setup.config.compute_gate_on_attention = true;
  }
  if (computes_prompts(configuration, shape)) {
    setup.vision_encoder = request.vision_encoder;
    setup.reads_images = request.source.images.has_value();
  }
  if (shape.exchange > 0)
    choose_exchange(parse_enum<MoeExchange>(space.moe_exchanges[shape.exchange - 1], "moe_exchanges"),
                    setup.config);
  setup.config = ask_for_groups(std::move(setup.config), shape.data_parallel);
  return setup;
}

RoutingPolicy router_of(const PlanRequest& request, const Configuration& configuration) {
  const std::vector<std::string>& policies = request.space.routing_policies;
  return policies.empty() ? request.routing_policy
                          : parse_enum<RoutingPolicy>(policies[configuration.routing], "routing_policies");
}

WorkloadRequestSource source_at(WorkloadRequestSource source, double rate) {
  source.concurrency.reset();
  if (source.sessions) {
    source.sessions->rate = rate;
  } else if (source.request_rate) {
    source.request_rate = rate;
  } else {
    source.rate = rate;
  }
  return source;
}

}  // namespace warploom
