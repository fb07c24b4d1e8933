#include "warploom/serving/pricing/afd_step_pricer.h"

#include <algorithm>

#include "warploom/base/divide_up.h"

namespace warploom {
namespace {

// Tokens that ways are priced at: every number up to the first, then so many points to a doubling.
constexpr std::int64_t kEveryTokenTo = 64, kPointsPerOctave = 32;

}  // namespace

StepCost AfdSides::step(std::int64_t layers, std::int64_t micro_batches) const {
  return {ends.p10 + Seconds(afd_step_time(at(&StepCost::p10), layers, micro_batches)),
          ends.p50 + Seconds(afd_step_time(at(&StepCost::p50), layers, micro_batches)),
          ends.p90 + Seconds(afd_exposed_time(at(&StepCost::p90), layers, micro_batches)),
          ends.collectives + attention.collectives};
}

AfdStepPricer::AfdStepPricer(AfdPlan plan, OperatorPricer pricer, StepPadding padding,
                             std::int64_t micro_batches, const PricedDomain& domain)
    : plan_(std::move(plan)),
      pricer_(pricer),
      padding_(std::move(padding)),
      micro_batches_(micro_batches),
      attention_(plan_.attention(), pricer, {}, {}, {}, domain),
      feed_forward_(plan_.feed_forward(), std::move(pricer), {}, {}, {}, domain),
      grid_(geometric_points(domain.tokens, kEveryTokenTo, kPointsPerOctave)),
      to_{true, PriceTable(grid_.size())},
      from_{false, PriceTable(grid_.size())} {}

std::unique_ptr<StepPricer> AfdStepPricer::clone() const {
  auto copy = std::make_unique<AfdStepPricer>(*this);
  copy->attention_.forget_uses();
  copy->feed_forward_.forget_uses();
  copy->sums_.clear();
  copy->to_.table.forget_uses();
  copy->from_.table.forget_uses();
  return copy;
}

std::vector<KernelTime> AfdStepPricer::breakdown() const {
  KernelSums ways = sums_;
  to_.table.collect(ways);
  from_.table.collect(ways);
  std::vector<KernelTime> kernels = attention_.breakdown();
  add_kernel_times(kernels, feed_forward_.breakdown());
  add_kernel_times(kernels, ways.sorted());
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
  return kernels;
}

// An even part of a step: as many requests, with the mean of their contexts, and a piece of each chunk that
// reaches as far back as its pieces do in the mean, so that all of them attend to what the chunk does.
StepBatch AfdStepPricer::micro_batch_of(const StepBatch& batch, std::int64_t micro_batches) {
  if (micro_batches == 1) {
    StepBatch whole = batch;
    whole.logits_rows = 0;
    return whole;
  }
  StepBatch part;
  if (batch.decode_requests > 0) {
    part.decode_requests = divide_up(batch.decode_requests, micro_batches);
    part.decode_context_sum = batch.decode_context_sum * part.decode_requests / batch.decode_requests;
    part.decode_context_max = batch.decode_context_max;
  }
  chunks_.clear();
  for (const PrefillChunk& chunk : batch.chunks) {
    constexpr std::int64_t kLeast = 2;  // tokens of a chunk
    const std::int64_t tokens = std::max(kLeast, divide_up(std::int64_t(chunk.tokens), micro_batches));
    chunks_.push_back({std::int32_t(tokens), chunk.context + std::int32_t((chunk.tokens - tokens) / 2)});
    part.chunk_tokens += tokens;
  }
  part.chunks = chunks_;
  return part;
}

std::span<const OperatorNode> AfdStepPricer::operators_of(const Way& way, std::int64_t tokens) {
  return way.there ? plan_.to_experts(tokens) : plan_.from_experts(tokens);
}

ListPrice AfdStepPricer::way_price(Way& way, std::int64_t tokens, double times) {
  if (tokens > grid_.back()) return sums_.price(operators_of(way, tokens), pricer_, times);
  ListPrice price;
  const GridPosition at = grid_.locate(double(tokens));
  for (const auto& [row, weight] : {std::pair{at.low, 1.0 - at.weight}, std::pair{at.low + 1, at.weight}}) {
    if (weight == 0) continue;
    if (!way.table.has(row)) way.table.fill(row, operators_of(way, grid_[row]), pricer_, sums_);
    way.table.use(row, weight, price, times);
  }
  return price;
}

StepCost AfdStepPricer::price(const StepBatch& batch) {
  const std::int64_t widest = std::max(batch.tokens(), batch.widest_rank_tokens);
  const auto groups = std::int64_t(coupled_replicas());
  const std::vector<std::int64_t>& captured = padding_.sizes_of(batch.chunk_tokens);
  const bool in_graph = !captured.empty() && widest <= captured.back();
  const std::int64_t padded = in_graph ? padded_tokens(captured, widest) : widest;
  const std::int64_t of_all = in_graph ? groups * padded : std::max(padded, batch.group_tokens);
  const AfdSizes sizes = afd_sizes(plan_.sharding(), padded, of_all, micro_batches_);
  const auto times = double(sizes.micro_batches);
  const LaunchSizes attending{sizes.tokens, sizes.tokens, sizes.tokens};
  const std::int64_t own = std::max(batch.tokens(), batch.group_tokens);
  const std::int64_t routed = padding_.skipped_by_experts(batch.chunk_tokens)
                                  ? std::min(sizes.group_tokens, divide_up(own, sizes.micro_batches))
                                  : sizes.group_tokens;
  const LaunchSizes computing{sizes.feed_forward_tokens, routed, sizes.group_tokens};
  AfdSides sides{
      .attention = attention_.list_price(micro_batch_of(batch, sizes.micro_batches), attending, times).cost(),
      .to_experts = way_price(to_, sizes.sent_tokens, times).cost(),
      .experts = feed_forward_.list_price({}, computing, times).cost(),
      .from_experts = way_price(from_, sizes.sent_tokens, times).cost(),
      .ends = {}};
  if (batch.logits_rows > 0) sides.ends = attention_.rows_price(batch.logits_rows).cost();
  return sides.step(plan_.layers(), sizes.micro_batches);
}

}  // namespace warploom
