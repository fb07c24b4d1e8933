#include "warploom/app/serving/price_graph.h"

#include <algorithm>
#include <variant>

#include "warploom/models/afd_plan.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/two_halves.h"
#include "warploom/serving/pricing/afd_step_pricer.h"

namespace warploom {
namespace {

StepBatch batch_of(const StepShape& shape) {
  StepBatch batch;
  batch.chunk_tokens = StepShape::tokens_of(shape.prefill);
  batch.decode_requests = StepShape::tokens_of(shape.decode);
  return batch;
}

void halve(const std::vector<RequestGroup>& groups, std::vector<RequestGroup>& first,
           std::vector<RequestGroup>& second) {
  for (RequestGroup group : groups) {
    if (group.count == 1 && group.query_tokens > 1) {  // one prompt, cut
      RequestGroup rest = group;
      group.query_tokens = divide_up(group.query_tokens, 2);
      rest.query_tokens -= group.query_tokens;
      rest.context_tokens += group.query_tokens;
      first.push_back(group);
      second.push_back(rest);
      continue;
    }
    RequestGroup rest = group;
    group.count = divide_up(group.count, 2);
    rest.count -= group.count;
    first.push_back(group);
    if (rest.count > 0) second.push_back(rest);
  }
}

std::vector<StepShape> halves_of(const StepShape& shape) {
  std::vector<StepShape> halves(2);
  halve(shape.prefill, halves[0].prefill, halves[1].prefill);
  halve(shape.decode, halves[0].decode, halves[1].decode);
  halves[0].logits_rows = divide_up(shape.logits_rows, 2);
  halves[1].logits_rows = shape.logits_rows - halves[0].logits_rows;
  halves[0].group_tokens = divide_up(shape.group_tokens, 2);
  halves[1].group_tokens = shape.group_tokens - halves[0].group_tokens;
  return halves;
}

// Prices lists and keeps their nodes, as many times.
class NodeList {
 public:
  NodeList(const OperatorPricer& pricer, std::vector<PricedNode>& nodes) : pricer_(pricer), nodes_(nodes) {}

  void add(ListPrice& price, std::span<const OperatorNode> operators, std::int64_t times = 1) {
    price += pricer_.price(
        operators, [&](const OperatorNode& node, const LatencyEstimate& one_call, KernelSource source) {
          OperatorNode counted = node;
          counted.count *= times;
          nodes_.push_back({counted, one_call, std::move(source)});
        });
  }

 private:
  const OperatorPricer& pricer_;
  std::vector<PricedNode>& nodes_;
};

// As AfdStepPricer prices it.
void price_apart(const ServingSetup& setup, const StepShape& shape, PricedGraph& priced) {
  const OperatorPricer pricer = setup.operators();
  AfdPlan plan(setup.model, setup.sharding, setup.graph);
  StepPlan attention = plan.attention(), experts = plan.feed_forward();
  const std::int64_t tokens = shape.tokens();
  const std::int64_t of_all =
      shape.group_tokens > 0 ? shape.group_tokens : tokens * setup.sharding.attention_data_parallel;
  const AfdSizes sizes = afd_sizes(setup.sharding, tokens, of_all, setup.config.num_afd_stages);
  const std::int64_t many = sizes.micro_batches;
  NodeList list(pricer, priced.nodes);
  ListPrice there, computed, to, from, ends;
  list.add(there, attention.dense_operators(sizes.tokens, 0), many);
  list.add(there, attention.collective_operators(sizes.tokens, 0), many);
  list.add(there, attention.attention_operators(micro_batch_of(shape, many)), many);
  list.add(computed, experts.dense_operators(sizes.feed_forward_tokens, 0, sizes.group_tokens), many);
  list.add(computed, experts.collective_operators(sizes.feed_forward_tokens, 0, sizes.group_tokens), many);
  list.add(to, plan.to_experts(sizes.sent_tokens), many);
  list.add(from, plan.from_experts(sizes.sent_tokens), many);
  if (shape.logits_rows > 0) {
    list.add(ends, attention.operators_of(RowSource::LogitsRows, shape.logits_rows));
  }
  const AfdSides sides{there.cost(), to.cost(), computed.cost(), from.cost(), ends.cost()};
  const std::int64_t layers = plan.layers();
  priced.gpu = sides.step(layers, many);
  Seconds all;
  for (const PricedNode& node : priced.nodes) all += node.one_call.p50 * double(node.node.count);
  priced.hidden = all - priced.gpu.p50;
  const AfdTimes times = sides.at(&StepCost::p50);
  const double each = 1.0 / double(layers), step = priced.gpu.p50.value();
  priced.afd =
      AfdBreakdown{.label = *setup.afd(),
                   .layers = layers,
                   .layer = {times.attention * each, times.to_experts * each, times.experts * each,
                             times.from_experts * each},
                   .limit = std::string(afd_limit(times, many)),
                   .attention_busy = (double(many) * times.attention + sides.ends.p50.value()) / step,
                   .feed_forward_busy = double(many) * times.experts / step};
  priced.afd->label.micro_batches = many;
}

// The step as one, or both its halves with the exchange of one beside the computing of the other.
void price_together(const ServingSetup& setup, const StepShape& shape, PricedGraph& priced) {
  const BatchOverlap overlap = overlap_of(setup.config, setup.kernels.expert_transport, *setup.gpu);
  priced.in_halves = overlap.splits(batch_of(shape));
  const OperatorPricer pricer = setup.operators();
  NodeList list(pricer, priced.nodes);
  ListPrice price;
  for (const StepShape& part : priced.in_halves ? halves_of(shape) : std::vector<StepShape>{shape})
    list.add(price, build_operator_graph(setup.model, setup.sharding, part, setup.graph));
  const StepCost whole = price.cost();
  priced.gpu = whole;
  priced.hidden = Seconds(price.hidden());
  if (!priced.in_halves) return;
  double exchange = 0;
  for (const PricedNode& each : priced.nodes)
    if (each.node.source == RowSource::GroupTokens && std::holds_alternative<Collective>(each.node.op))
      exchange += each.one_call.p50.value() * double(each.node.count);
  const double saved =
      overlapped_seconds(overlap.share_of(batch_of(shape)), whole.p50.value() - exchange, exchange,
                         StepPlan(setup.model, setup.sharding, setup.graph).layers());
  const double scale = 1 - saved / whole.p50.value();
  priced.gpu = {whole.p10 * scale, whole.p50 * scale, whole.p90 * scale, whole.collectives};
  priced.hidden = Seconds(price.hidden() + saved);
}

}  // namespace

PricedGraph price_graph(const ServingSetup& setup, const StepShape& shape) {
  PricedGraph priced;
  if (setup.sharding.apart())
    price_apart(setup, shape, priced);
  else
    price_together(setup, shape, priced);
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
