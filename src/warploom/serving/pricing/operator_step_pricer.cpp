#include "warploom/serving/pricing/operator_step_pricer.h"

#include <algorithm>
#include <cmath>

#include "warploom/base/divide_up.h"
#include "warploom/kernels/routing_spread.h"

namespace warploom {
namespace {

constexpr std::int64_t kContextGridStart = 16;
constexpr double kLeastOfStep = 0.1;         // of its mean, however lucky its draw
constexpr std::size_t kMostPrompts = 16384;  // remembered at once: a few megabytes

// Contexts 0, 16, 32, ... : short ones cost a launch whatever their length.
std::vector<std::int64_t> context_points(std::int64_t limit) {
  std::vector<std::int64_t> points{0};
  for (const std::int64_t point : geometric_points(limit / kContextGridStart + 1, 4, 6)) {
    points.push_back(point * kContextGridStart);
  }
  return points;
}

// Routed experts and what carries tokens to them and back work on the tokens of the whole group.
bool serves_group(const OperatorNode& node) { return node.source == RowSource::GroupTokens; }

}  // namespace

OperatorStepPricer::OperatorStepPricer(const StepPlan& plan, OperatorPricer pricer, StepPadding padding,
                                       ScaledOperators beside, const BatchOverlap& overlap,
                                       const PricedDomain& domain)
    : plan_(plan),
      beside_(std::move(beside)),
      overlap_(overlap),
      pricer_(std::move(pricer)),
      padding_(std::move(padding)),
      token_grid_(geometric_points(domain.tokens, 64, 32)),
      row_grid_(geometric_points(domain.sequences, 64, 32)),
      sequence_grid_(geometric_points(domain.sequences, 8, 6)),
      token_table_(token_grid_.size()),
      group_table_(token_grid_.size()),
      exchange_table_(token_grid_.size()),
      row_table_(row_grid_.size()),
      spread_(token_grid_.size(), -1),
      decode_kinds_(decode_kinds(plan_, context_points(domain.context))) {
  list_per_group_token(1);
  serves_group_ = !nodes_.empty();
  if (!serves_group_ || plan_.sharding().expert_parallel < 2) return;
  list_per_exchanged_token(1);
  draws_choices_ = std::any_of(nodes_.begin(), nodes_.end(), [](const OperatorNode& node) {
    const auto* exchange = std::get_if<Collective>(&node.op);
    return exchange != nullptr && exchange->kind == CollectiveKind::Dispatch;
  });
}

std::unique_ptr<StepPricer> OperatorStepPricer::clone() const {
  auto copy = std::make_unique<OperatorStepPricer>(*this);
  copy->forget_uses();
  return copy;
}

void OperatorStepPricer::forget_uses() {
  sums_.clear();
  kept_ = {};
  for (PriceTable* table : {&token_table_, &group_table_, &exchange_table_, &row_table_})
    table->forget_uses();
  for (DecodeTable& table : decode_tables_) table.prices.forget_uses();
}

std::vector<KernelTime> OperatorStepPricer::breakdown() const {
  KernelSums sums = sums_;
  for (const PriceTable* table : {&token_table_, &group_table_, &exchange_table_, &row_table_})
    table->collect(sums);
  for (const DecodeTable& table : decode_tables_) table.prices.collect(sums);
  return sums.sorted();
}

StepCost OperatorStepPricer::price(const StepBatch& batch) {
  times_ = 1;
  // Ranks that step together run one graph size: each pads to what the widest of them needs.
  // Context parallelism of prompts leaves a GPU its part of them, and of the decoding requests.
  const std::int64_t sharers = plan_.sharding().prefill_context_parallel;
  const std::int64_t own = sharers == 1 ? batch.tokens()
                                        : divide_up(batch.chunk_tokens, sharers) +
                                              divide_up(batch.tokens() - batch.chunk_tokens, sharers);
  const std::int64_t widest = sharers == 1 ? std::max(own, batch.widest_rank_tokens) : own;
  const std::vector<std::int64_t>& sizes = padding_.sizes_of(batch.chunk_tokens);
  const bool in_graph = !sizes.empty() && widest <= sizes.back();
  const std::int64_t padded = in_graph ? padded_tokens(sizes, widest) : own;
  const std::int64_t ranks = std::int64_t(coupled_replicas());
  const std::int64_t group_padded =
      in_graph && ranks > 1 ? ranks * padded : std::max(sharers * padded, batch.group_tokens);
  const std::int64_t group_tokens = padding_.skipped_by_experts(batch.chunk_tokens)
                                        ? std::max(sharers * own, batch.group_tokens)
                                        : group_padded;
  const bool splits = serves_group_ && overlap_.splits(batch);
  const std::int64_t parts = splits ? 2 : 1;
  const std::int64_t exchanged =
      !serves_group_ || in_graph ? group_padded : std::max(group_padded, exchanged_tokens(batch));
  ListPrice price;
  double deviation = 0, exchange_p50 = 0;
  if (!splits && !draws(batch)) {
    price = sized_price({padded, group_tokens, exchanged}, batch.logits_rows);
  } else {
    ListPrice exchange;
    for (std::int64_t part = 0; part < parts; ++part) {
      add_part(kPerToken, divide_up(padded, parts), price);
      if (!serves_group_) continue;
      const double before = price.p50;
      add_part(kPerGroupToken, divide_up(group_tokens, parts), price);
      deviation += drawn_deviation(batch, divide_up(group_tokens, parts), price.p50 - before);
      add_part(kPerExchangedToken, divide_up(exchanged, parts), splits ? exchange : price);
    }
    if (splits) price += exchange;
    exchange_p50 = exchange.p50;
    if (batch.logits_rows > 0) add_part(kPerRow, batch.logits_rows, price);
  }
  if (batch.decode_requests > 0) add_decode(batch, parts, price);
  if (!batch.chunks.empty()) add_prefill(batch, price);
  StepCost cost = price.cost();
  double change = deviation;
  if (splits)
    change -= overlapped_seconds(overlap_.share_of(batch), cost.p50.value() - exchange_p50, exchange_p50,
                                 plan_.layers());
  const double scale = std::max(kLeastOfStep, 1 + change / cost.p50.value());
  return {cost.p10 * scale, cost.p50 * scale, cost.p90 * scale, cost.collectives};
}

ListPrice OperatorStepPricer::list_price(const StepBatch& batch, const LaunchSizes& sizes, double times) {
  times_ = times;
  ListPrice price;
  add_sized(sizes, batch.logits_rows, price);
  if (batch.decode_requests > 0) add_decode(batch, 1, price);
  if (!batch.chunks.empty()) add_prefill(batch, price);
  return price;
}

ListPrice OperatorStepPricer::rows_price(std::int64_t rows) {
  times_ = 1;
  ListPrice price;
  add_part(kPerRow, rows, price);
  return price;
}

double OperatorStepPricer::spread_at(std::size_t row) {
  if (spread_[row] >= 0) return spread_[row];
  const std::size_t next = row + 1 < token_grid_.size() ? row + 1 : row - 1;
  for (const std::size_t each : {row, next}) {
    if (group_table_.has(each)) continue;
    list_per_group_token(token_grid_[each]);
    group_table_.fill(each, nodes_, pricer_, sums_);
  }
  // How a rank's time follows its pairs, as the time of all follows the tokens.
  const double grows = std::log(group_table_.time(next) / group_table_.time(row)) /
                       std::log(double(token_grid_[next]) / double(token_grid_[row]));
  list_per_group_token(token_grid_[row]);
  double variance = 0, total = 0;
  for (const OperatorNode& node : nodes_) {
    const auto* experts = std::get_if<FusedMoe>(&node.op);
    if (experts == nullptr) continue;
    const double one = busiest_spread(*experts);
    variance += double(node.count) * one * one;  // layers choose independently
    total += double(node.count);
  }
  spread_[row] = total > 0 ? std::clamp(grows, 0.0, 1.0) * std::sqrt(variance) / total : 0.0;
  return spread_[row];
}

double OperatorStepPricer::drawn_deviation(const StepBatch& batch, std::int64_t group_tokens, double routed) {
  if (!draws(batch) || group_tokens > token_grid_.back()) return 0;
  const GridPosition at = token_grid_.locate(double(group_tokens));
  return routed * spread_at(at.weight > 0.5 ? at.low + 1 : at.low) * batch.step_draw;
}

void OperatorStepPricer::list_per_token(std::int64_t tokens) {
  nodes_.clear();
  for (const OperatorNode& node : plan_.dense_operators(tokens, 0)) {
    if (!serves_group(node)) nodes_.push_back(node);
  }
  for (const OperatorNode& node : plan_.collective_operators(tokens, 0)) {
    if (!serves_group(node)) nodes_.push_back(node);
  }
  for (const OperatorNode& node : beside_.scale(tokens, tokens, 0)) nodes_.push_back(node);
}

void OperatorStepPricer::list_per_group_token(std::int64_t group_tokens) {
  nodes_.clear();
  const std::int64_t own = std::max<std::int64_t>(1, group_tokens / plan_.sharding().expert_groups());
  for (const OperatorNode& node : plan_.dense_operators(own, 0, group_tokens)) {
    if (serves_group(node)) nodes_.push_back(node);
  }
}

void OperatorStepPricer::list_per_exchanged_token(std::int64_t group_tokens) {
  nodes_.clear();
  const std::int64_t own = std::max<std::int64_t>(1, group_tokens / plan_.sharding().expert_groups());
  for (const OperatorNode& node : plan_.collective_operators(own, 0, group_tokens)) {
    if (serves_group(node)) nodes_.push_back(node);
  }
}

// Tokens of a group with equal ranks whose exchange takes as long. Around a ring of N ranks a link carries
// what all have but the rank behind it; with equal ranks that is (N - 1) / N of the group's.
std::int64_t OperatorStepPricer::exchanged_tokens(const StepBatch& batch) const {
  const auto ranks = std::int64_t(coupled_replicas());
  if (!plan_.gathers_by_rank() || ranks == 1) return batch.group_tokens;
  return (batch.group_tokens - batch.narrowest_rank_tokens) * ranks / (ranks - 1);
}

void OperatorStepPricer::list_per_row(std::int64_t rows) {
  nodes_.clear();
  // The plan lists what scales with rows last and leaves it out when there are none.
  const std::size_t dense = plan_.dense_operators(1, 0).size();
  const auto with_rows = plan_.dense_operators(1, rows);
  nodes_.assign(with_rows.begin() + std::ptrdiff_t(dense), with_rows.end());
  const std::size_t collectives = plan_.collective_operators(1, 0).size();
  const auto gathered = plan_.collective_operators(1, rows);
  nodes_.insert(nodes_.end(), gathered.begin() + std::ptrdiff_t(collectives), gathered.end());
}

const OperatorStepPricer::TabledPart OperatorStepPricer::kPerToken = {
    &OperatorStepPricer::list_per_token, &OperatorStepPricer::token_grid_, &OperatorStepPricer::token_table_};
const OperatorStepPricer::TabledPart OperatorStepPricer::kPerGroupToken = {
    &OperatorStepPricer::list_per_group_token, &OperatorStepPricer::token_grid_,
    &OperatorStepPricer::group_table_};
const OperatorStepPricer::TabledPart OperatorStepPricer::kPerExchangedToken = {
    &OperatorStepPricer::list_per_exchanged_token, &OperatorStepPricer::token_grid_,
    &OperatorStepPricer::exchange_table_};
const OperatorStepPricer::TabledPart OperatorStepPricer::kPerRow = {
    &OperatorStepPricer::list_per_row, &OperatorStepPricer::row_grid_, &OperatorStepPricer::row_table_};

void OperatorStepPricer::add_part(const TabledPart& part, std::int64_t size, ListPrice& price) {
  const PriceGrid& grid = this->*part.grid;
  if (size > grid.back()) {
    if (kept_.open) kept_.tabled = false;
    (this->*part.list)(size);
    price += sums_.price(nodes_, pricer_, times_);
    return;
  }
  PriceTable& table = this->*part.table;
  const GridPosition at = grid.locate(double(size));
  for (const auto& [row, weight] : {std::pair{at.low, 1.0 - at.weight}, std::pair{at.low + 1, at.weight}}) {
    if (weight == 0) continue;
    if (!table.has(row)) {
      (this->*part.list)(grid[row]);
      table.fill(row, nodes_, pricer_, sums_);
    }
    table.use(row, weight, price, times_);
    if (kept_.open) kept_.uses[kept_.count++] = {part.table, row, weight};
  }
}

void OperatorStepPricer::add_sized(const LaunchSizes& sizes, std::int64_t rows, ListPrice& price) {
  add_part(kPerToken, sizes.tokens, price);
  if (serves_group_) {
    add_part(kPerGroupToken, sizes.group_tokens, price);
    add_part(kPerExchangedToken, sizes.exchanged_tokens, price);
  }
  if (rows > 0) add_part(kPerRow, rows, price);
}

const ListPrice& OperatorStepPricer::sized_price(const LaunchSizes& sizes, std::int64_t rows) {
  if (kept_.tabled && kept_.rows == rows && kept_.sizes == sizes) {
    for (std::size_t i = 0; i < kept_.count; ++i)
      (this->*kept_.uses[i].table).count(kept_.uses[i].row, kept_.uses[i].weight);
    return kept_.price;
  }
  kept_ = {.sizes = sizes, .rows = rows, .price = {}, .tabled = true, .open = true};
  add_sized(sizes, rows, kept_.price);
  kept_.open = false;
  return kept_.price;
}

void OperatorStepPricer::DecodeGroup::add(std::int64_t context) {
  ++requests;
  context_sum += context;
  context_max = std::max(context_max, context);
}

std::vector<OperatorStepPricer::DecodeKind> OperatorStepPricer::decode_kinds(
    const StepPlan& plan, const std::vector<std::int64_t>& contexts) {
  std::vector<DecodeKind> kinds;
  const std::vector<ContextReach> reaches = plan.decode_reaches();
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    auto same = std::find_if(kinds.begin(), kinds.end(),
                             [&](const DecodeKind& kind) { return kind.reach == reaches[i]; });
    if (same == kinds.end()) {
      std::vector<std::int64_t> points = contexts;
      // Time may jump where the first tokens fall out of a window.
      if (const std::int64_t most = reaches[i].most(); most > 0) {
        points.push_back(most);
        points.push_back(most + 1);
        std::sort(points.begin(), points.end());
        points.erase(std::unique(points.begin(), points.end()), points.end());
      }
      same = kinds.insert(kinds.end(), {reaches[i], PriceGrid(std::move(points)), {}});
    }
    same->operators.push_back(i);
  }
  return kinds;
}

std::size_t OperatorStepPricer::decode_table(std::size_t kind, std::int64_t query_tokens) {
  for (std::size_t i = 0; i < decode_tables_.size(); ++i)
    if (decode_tables_[i].kind == kind && decode_tables_[i].query_tokens == query_tokens) return i;
  const std::size_t rows = sequence_grid_.size() * decode_kinds_[kind].contexts.size();
  decode_tables_.push_back({kind, query_tokens, PriceTable(rows), {}, {}});
  return decode_tables_.size() - 1;
}

void OperatorStepPricer::fill_decode(DecodeTable& table, std::size_t sequences, std::size_t context) {
  const DecodeKind& kind = decode_kinds_[table.kind];
  StepShape step;
  step.decode.push_back({sequence_grid_[sequences], table.query_tokens, kind.contexts[context]});
  const std::span<const OperatorNode> operators = plan_.attention_operators(step);
  nodes_.clear();
  for (const std::size_t place : kind.operators) nodes_.push_back(operators[place]);
  table.prices.fill(sequences * kind.contexts.size() + context, nodes_, pricer_, sums_);
}

void OperatorStepPricer::find_corners(Corners& corners, DecodeCell DecodeTable::*last, double sequences,
                                      double context) {
  DecodeTable& table = decode_tables_[corners.table];
  const PriceGrid& contexts = decode_kinds_[table.kind].contexts;
  DecodeCell& cell = table.*last;
  const bool same = sequences == cell.sequences && context > cell.from && context < cell.to;
  const GridPosition s = same ? cell.sequence : sequence_grid_.locate(sequences);
  const GridPosition c = same ? GridPosition{cell.context, (context - cell.from) / (cell.to - cell.from)}
                              : contexts.locate(context);
  corners.count = 0;
  const auto add = [&](std::size_t si, std::size_t ci, double weight) {
    if (weight == 0) return;
    const std::size_t row = si * contexts.size() + ci;
    if (!same && !table.prices.has(row)) fill_decode(table, si, ci);
    corners.rows[corners.count++] = {row, weight};
  };
  const double own = 1.0 - s.weight;
  add(s.low, c.low, own * (1.0 - c.weight));
  add(s.low, c.low + 1, own * c.weight);
  if (s.weight > 0) {
    add(s.low + 1, c.low, s.weight * (1.0 - c.weight));
    add(s.low + 1, c.low + 1, s.weight * c.weight);
  }
  if (!same && c.weight > 0)
    cell = {sequences, s, double(contexts[c.low]), double(contexts[c.low + 1]), c.low};
}

double OperatorStepPricer::time_of(const Corners& corners) const {
  const PriceTable& prices = decode_tables_[corners.table].prices;
  double time = 0;
  for (const auto& [row, weight] : corners.all()) time += weight * prices.time(row);
  return time;
}

void OperatorStepPricer::add_decode_kind(std::size_t kind, std::span<const DecodeGroup> groups,
                                         double sequences, double parts, ListPrice& price) {
  const double together_in_part = std::max(1.0, sequences / parts);
  corners_.resize(groups.size());
  double longest = 0, together = 0;
  bool uneven = false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const DecodeGroup& group = groups[i];
    const double mean = group.mean();
    corners_[i].table = decode_table(kind, group.query_tokens);
    find_corners(corners_[i], &DecodeTable::together, together_in_part, mean);
    // Far longer than the mean: the one request may outlast all others together.
    uneven |= double(group.context_max) > 2.0 * mean;
  }
  for (std::size_t i = 0; uneven && i < groups.size(); ++i) {
    together += double(groups[i].requests) / together_in_part * time_of(corners_[i]);
    Corners alone{.table = corners_[i].table, .rows = {}};
    find_corners(alone, &DecodeTable::alone, 1.0, double(groups[i].context_max));
    longest = std::max(longest, time_of(alone));
  }
  const double scale = longest > together && together > 0 ? longest / together : 1.0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    PriceTable& prices = decode_tables_[corners_[i].table].prices;
    const double share = scale * double(groups[i].requests) / together_in_part;
    for (const auto& [row, weight] : corners_[i].all()) prices.use(row, share * weight, price, times_);
  }
}

void OperatorStepPricer::group_by_queries(const StepBatch& batch) {
  query_groups_.clear();
  if (batch.decode_queries.empty()) {
    query_groups_.push_back({1, batch.decode_requests, batch.decode_context_sum, batch.decode_context_max});
    return;
  }
  for (std::size_t i = 0; i < batch.decode_contexts.size(); ++i) {
    const std::int64_t queries = batch.queries_of(i);
    auto same = std::find_if(query_groups_.begin(), query_groups_.end(),
                             [&](const DecodeGroup& group) { return group.query_tokens == queries; });
    if (same == query_groups_.end())
      same = query_groups_.insert(query_groups_.end(), {.query_tokens = queries});
    same->add(batch.decode_contexts[i]);
  }
}

// Those within the reach and those beyond it; of chunks there is no beyond.
void OperatorStepPricer::group_by_reach(const ContextReach& reach, const StepBatch& batch) {
  reach_groups_.clear();
  for (const DecodeGroup& group : query_groups_) {
    DecodeGroup within{.query_tokens = group.query_tokens}, beyond = within;
    const auto add = [&](std::int64_t context) {
      (reach.window > 0 && context >= reach.window ? beyond : within).add(reach.of(context));
    };
    for (std::size_t i = 0; i < batch.decode_contexts.size(); ++i)
      if (query_groups_.size() == 1 || batch.queries_of(i) == group.query_tokens)
        add(batch.decode_contexts[i]);
    // A batch that tells its mean alone is one of equal requests.
    if (batch.decode_contexts.empty()) {
      add(group.context_sum / group.requests);
      for (DecodeGroup* part : {&within, &beyond}) {
        part->requests *= group.requests;
        part->context_sum *= group.requests;
      }
    }
    for (const DecodeGroup& part : {within, beyond})
      if (part.requests > 0) reach_groups_.push_back(part);
  }
}

void OperatorStepPricer::add_decode(const StepBatch& batch, std::int64_t parts, ListPrice& price) {
  group_by_queries(batch);
  for (std::size_t kind = 0; kind < decode_kinds_.size(); ++kind) {
    const ContextReach& reach = decode_kinds_[kind].reach;
    if (!reach.all()) group_by_reach(reach, batch);
    add_decode_kind(kind, reach.all() ? query_groups_ : reach_groups_, double(batch.decode_requests),
                    double(parts), price);
  }
}

void OperatorStepPricer::add_prefill(const StepBatch& batch, ListPrice& price) {
  shape_.prefill.clear();
  for (const PrefillChunk& chunk : batch.chunks) {
    if (!shape_.prefill.empty() && shape_.prefill.back().query_tokens == chunk.tokens &&
        shape_.prefill.back().context_tokens == chunk.context) {
      ++shape_.prefill.back().count;
    } else {
      shape_.prefill.push_back({1, chunk.tokens, chunk.context});
    }
  }
  if (shape_.prefill.size() == 1)
    price += sums_.add(prompt_list(shape_.prefill.front()), times_);
  else
    price += sums_.price(plan_.attention_operators(shape_), pricer_, times_);
}

const PricedList& OperatorStepPricer::prompt_list(const RequestGroup& chunks) {
  const auto known = prompts_.find(chunks);
  if (known != prompts_.end()) return known->second;
  PricedList list = sums_.list(plan_.attention_operators(shape_), pricer_);
  if (prompts_.size() >= kMostPrompts) prompts_.clear();
  return prompts_.emplace(chunks, std::move(list)).first->second;
}

}  // namespace warploom
