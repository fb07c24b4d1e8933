#include "warploom/app/serving/price_graph.h"

#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {

PricedGraph price_graph(const ServingSetup& setup, const StepShape& shape) {
  const OperatorPricer pricer = setup.operators();
  const OperatorGraph graph = build_operator_graph(setup.model, setup.sharding, shape, setup.graph);
  PricedGraph priced;
  const ListPrice price = pricer.price(
      graph, [&](const OperatorNode& node, const LatencyEstimate& one_call, KernelSource source) {
        priced.nodes.push_back({node, one_call, std::move(source)});
      });
  priced.gpu = price.cost();
  priced.hidden = Seconds(price.hidden());
  const LaunchMode mode =
      graph_limits_of(setup.config).mode(StepShape::tokens_of(shape.prefill), shape.tokens());
  const auto host = [&](int side) {
    const HostModel& model = side < 0 ? setup.host_least : side > 0 ? setup.host_most : setup.config.host;
    return model.overhead(priced.gpu.p50, shape.requests(), mode, schedules_ahead(setup.config), side);
  };
  priced.host = host(0);
  priced.host_least = host(-1);
  priced.host_most = host(1);
  return priced;
}

}  // namespace warploom
