#include "warploom/app/plan/plan_labels.h"

#include <fmt/format.h>

#include "warploom/app/plan/configured_setups.h"

namespace warploom {
namespace {

std::string shared_cache_words(const SharedKv& shared) {
  std::string words;
  if (shared.store_size) words = fmt::format("a store of {:g} GiB", *shared.store_size);
  if (shared.peers == KvPeers::None) return words;
  return fmt::format("{}{}peers ({})", words, words.empty() ? "" : " and ", name_of(shared.peers));
}

}  // namespace

std::string shape_words(const PlanRequest& request, const EngineShape& shape) {
  std::string words = fmt::format("tp {}", shape.tensor_parallel);
  if (shape.pipeline_parallel > 1) words += fmt::format(" pp {}", shape.pipeline_parallel);
  if (shape.data_parallel > 1) words += fmt::format(" dp {}", shape.data_parallel);
  if (shape.feed_forward_ranks > 0) words += fmt::format(" + {} ffn", shape.feed_forward_ranks);
  if (shape.expert_parallel) words += " ep";
  if (shape.exchange > 0) words += " " + request.space.moe_exchanges[shape.exchange - 1];
  if (shape.redundant_experts > 0) words += fmt::format(" {} redundant", shape.redundant_experts);
  if (shape.feed_forward_ranks > 0)
    words += fmt::format(", {} stages, gate on attention", shape.micro_batches);
  return words;
}

PlanLabel label_of_plan(const PlanRequest& request, GpuCatalog& catalog, const Configuration& configuration) {
  const ServingSetupRequest setup = setup_request_of(request, configuration, configuration.shape);
  PlanLabel label;
  label.engine = setup.config.engine;
  label.version = setup.version;
  label.quantization = setup.quantization.empty() ? "stored" : setup.quantization;
  if (!request.space.speculations.empty())
    label.speculation = request.space.speculations[configuration.speculation];
  label.gpu = catalog.load_gpu(setup.gpu, setup.files).name;
  label.shape = shape_words(request, configuration.shape);
  if (configuration.decode) {
    label.decode_gpu = catalog.load_gpu(request.space.gpus[configuration.decode->gpu], request.files).name;
    label.decode_shape = shape_words(request, *configuration.decode);
  }
  if (!request.space.routing_policies.empty())
    label.router = request.space.routing_policies[configuration.routing];
  const auto exchange_of = [&](const EngineShape& shape) {
    return shape.exchange > 0 ? request.space.moe_exchanges[shape.exchange - 1] : std::string();
  };
  label.exchange = exchange_of(configuration.shape);
  if (configuration.decode) label.decode_exchange = exchange_of(*configuration.decode);
  if (configuration.shared_caches) label.shared_caches = shared_cache_words(request.shared_kv);
  label.encodes = request.source.images.has_value();
  label.by_structure = configuration.shape.feed_forward_ranks > 0 ||
                       (configuration.decode && configuration.decode->feed_forward_ranks > 0);
  return label;
}

}  // namespace warploom
