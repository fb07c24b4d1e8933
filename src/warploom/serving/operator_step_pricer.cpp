#include "warploom/serving/operator_step_pricer.h"

#include <algorithm>

namespace warploom {
namespace {

constexpr std::int64_t kContextGridStart = 16;

// Contexts 0, 16, 32, ... : short ones cost a launch whatever their length.
std::vector<std::int64_t> context_points(std::int64_t limit) {
  std::vector<std::int64_t> points{0};
  for (const std::int64_t point : geometric_points(limit / kContextGridStart + 1, 4, 6)) {
    points.push_back(point * kContextGridStart);
  }
  return points;
}

// Routed experts and what carries tokens to them and back work on the tokens of the whole group.
bool serves_group(const OperatorNode& node) {
  return std::holds_alternative<FusedMoe>(node.op) || node.label.starts_with("moe_");
}

}  // namespace

OperatorStepPricer::OperatorStepPricer(const StepPlan& plan, OperatorPricer pricer,
                                       std::vector<std::int64_t> graph_sizes, ScaledOperators beside,
                                       const PricedDomain& domain)
    : plan_(plan),
      beside_(std::move(beside)),
      pricer_(std::move(pricer)),
      graph_sizes_(std::move(graph_sizes)),
      token_grid_(geometric_points(domain.tokens, 64, 32)),
      row_grid_(geometric_points(domain.sequences, 64, 32)),
      sequence_grid_(geometric_points(domain.sequences, 8, 6)),
      token_table_(token_grid_.size()),
      group_table_(token_grid_.size()),
      row_table_(row_grid_.size()),
      decode_kinds_(decode_kinds(plan_, context_points(domain.context))) {
  list_per_group_token(1);
  serves_group_ = !nodes_.empty();
}

std::unique_ptr<StepPricer> OperatorStepPricer::clone() const {
  auto copy = std::make_unique<OperatorStepPricer>(*this);
  copy->sums_.clear();
  for (PriceTable* table : {&copy->token_table_, &copy->group_table_, &copy->row_table_})
    table->forget_uses();
  for (DecodeTable& table : copy->decode_tables_) table.prices.forget_uses();
  return copy;
}

std::vector<KernelTime> OperatorStepPricer::breakdown() const {
  KernelSums sums = sums_;
  for (const PriceTable* table : {&token_table_, &group_table_, &row_table_}) table->collect(sums);
  for (const DecodeTable& table : decode_tables_) table.prices.collect(sums);
  return sums.sorted();
}

StepCost OperatorStepPricer::price(const StepBatch& batch) {
  ListPrice price;
  // Ranks that step together run one graph size: each pads to what the widest of them needs.
  // Context parallelism of prompts leaves a GPU its part of them.
  const std::int64_t sharers = plan_.sharding().prefill_context_parallel;
  const std::int64_t own =
      sharers == 1 ? batch.tokens()
                   : batch.tokens() - batch.chunk_tokens + (batch.chunk_tokens + sharers - 1) / sharers;
  const std::int64_t widest = sharers == 1 ? std::max(own, batch.widest_rank_tokens) : own;
  const bool in_graph = !graph_sizes_.empty() && widest <= graph_sizes_.back();
  const std::int64_t padded = in_graph ? padded_tokens(graph_sizes_, widest) : own;
  const std::int64_t ranks = std::int64_t(coupled_replicas());
  const std::int64_t group_tokens =
      in_graph && ranks > 1 ? ranks * padded : std::max(padded, batch.group_tokens);
  add_part(&OperatorStepPricer::list_per_token, padded, token_grid_, token_table_, price);
  if (serves_group_)
    add_part(&OperatorStepPricer::list_per_group_token, group_tokens, token_grid_, group_table_, price);
  if (batch.logits_rows > 0) {
    add_part(&OperatorStepPricer::list_per_row, batch.logits_rows, row_grid_, row_table_, price);
  }
  if (batch.decode_requests > 0) add_decode(batch, price);
  if (!batch.chunks.empty()) add_prefill(batch, price);
  return price.cost();
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
  const std::int64_t own = std::max<std::int64_t>(1, group_tokens / plan_.sharding().attention_data_parallel);
  for (const OperatorNode& node : plan_.dense_operators(own, 0, group_tokens)) {
    if (serves_group(node)) nodes_.push_back(node);
  }
  for (const OperatorNode& node : plan_.collective_operators(own, 0, group_tokens)) {
    if (serves_group(node)) nodes_.push_back(node);
  }
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

void OperatorStepPricer::add_part(Part part, std::int64_t size, const PriceGrid& grid, PriceTable& table,
                                  ListPrice& price) {
  if (size > grid.back()) {
    (this->*part)(size);
    price += sums_.price(nodes_, pricer_);
    return;
  }
  const GridPosition at = grid.locate(double(size));
  for (const auto& [row, weight] : {std::pair{at.low, 1.0 - at.weight}, std::pair{at.low + 1, at.weight}}) {
    if (weight == 0) continue;
    if (!table.has(row)) {
      (this->*part)(grid[row]);
      table.fill(row, nodes_, pricer_, sums_);
    }
    table.use(row, weight, price);
  }
}

std::vector<OperatorStepPricer::DecodeKind> OperatorStepPricer::decode_kinds(
    const StepPlan& plan, const std::vector<std::int64_t>& contexts) {
  std::vector<DecodeKind> kinds;
  const std::vector<ContextReach> reaches = plan.decode_reaches();
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    auto same = std::find_if(kinds.begin(), kinds.end(),
                             [&](const DecodeKind& kind) { return kind.reach == reaches[i]; });
    if (same == kinds.end()) {
      // Ends at the most that is reached, so that requests beyond it are priced as they are.
      std::vector<std::int64_t> points = contexts;
      if (const std::int64_t most = reaches[i].most(); most > 0) {
        std::erase_if(points, [&](std::int64_t point) { return point >= most; });
        points.push_back(most);
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
  decode_tables_.push_back({kind, query_tokens, PriceTable(rows)});
  return decode_tables_.size() - 1;
}

std::array<OperatorStepPricer::Corner, 4> OperatorStepPricer::decode_corners(std::size_t table_index,
                                                                             double sequences,
                                                                             double context) {
  DecodeTable& table = decode_tables_[table_index];
  const DecodeKind& kind = decode_kinds_[table.kind];
  const GridPosition s = sequence_grid_.locate(sequences), c = kind.contexts.locate(context);
  std::array<Corner, 4> corners;
  std::size_t i = 0;
  for (const auto& [si, sw] : {std::pair{s.low, 1.0 - s.weight}, std::pair{s.low + 1, s.weight}}) {
    for (const auto& [ci, cw] : {std::pair{c.low, 1.0 - c.weight}, std::pair{c.low + 1, c.weight}}) {
      if (sw * cw == 0) {
        ++i;
        continue;
      }
      const std::size_t row = si * kind.contexts.size() + ci;
      if (!table.prices.has(row)) {
        StepShape step;
        step.decode.push_back({sequence_grid_[si], table.query_tokens, kind.contexts[ci]});
        const std::span<const OperatorNode> all = plan_.attention_operators(step);
        nodes_.clear();
        for (const std::size_t place : kind.operators) nodes_.push_back(all[place]);
        table.prices.fill(row, nodes_, pricer_, sums_);
      }
      corners[i++] = {row, sw * cw};
    }
  }
  return corners;
}

double OperatorStepPricer::decode_time(std::size_t table, double sequences, double context) {
  double time = 0;
  for (const Corner& corner : decode_corners(table, sequences, context)) {
    if (corner.weight > 0) time += corner.weight * decode_tables_[table].prices.time(corner.row);
  }
  return time;
}

void OperatorStepPricer::group_decode(const StepBatch& batch) {
  decode_groups_.clear();
  if (batch.decode_queries.empty()) {
    decode_groups_.push_back({1, batch.decode_requests, batch.decode_context_sum, batch.decode_context_max});
    return;
  }
  for (std::size_t i = 0; i < batch.decode_contexts.size(); ++i) {
    const std::int64_t queries = batch.queries_of(i);
    auto same = std::find_if(decode_groups_.begin(), decode_groups_.end(),
                             [&](const DecodeGroup& group) { return group.query_tokens == queries; });
    if (same == decode_groups_.end())
      same = decode_groups_.insert(decode_groups_.end(), {.query_tokens = queries});
    ++same->requests;
    same->context_sum += batch.decode_contexts[i];
    same->context_max = std::max(same->context_max, batch.decode_contexts[i]);
  }
}

OperatorStepPricer::Reached OperatorStepPricer::reached_by(std::size_t kind, const DecodeGroup& group,
                                                           const StepBatch& batch) {
  const ContextReach& reach = decode_kinds_[kind].reach;
  Reached reached{.table = decode_table(kind, group.query_tokens),
                  .share = double(group.requests) / double(batch.decode_requests)};
  const double mean = double(group.context_sum) / double(group.requests);
  if (reach.all() || batch.decode_contexts.empty()) {
    reached.mean = reach.all() ? mean : double(reach.of(std::int64_t(mean)));
    reached.most = reach.all() ? double(group.context_max) : reached.mean;
    return reached;
  }
  const bool all = decode_groups_.size() == 1;
  std::int64_t sum = 0, most = 0;
  for (std::size_t i = 0; i < batch.decode_contexts.size(); ++i) {
    if (!all && batch.queries_of(i) != group.query_tokens) continue;
    const std::int64_t tokens = reach.of(batch.decode_contexts[i]);
    sum += tokens;
    most = std::max(most, tokens);
  }
  reached.mean = double(sum) / double(group.requests);
  reached.most = double(most);
  return reached;
}

void OperatorStepPricer::add_decode_kind(std::size_t kind, const StepBatch& batch, ListPrice& price) {
  const double sequences = double(batch.decode_requests);
  reached_.clear();
  bool uneven = false;
  for (const DecodeGroup& group : decode_groups_) {
    reached_.push_back(reached_by(kind, group, batch));
    uneven = uneven || reached_.back().most > 2.0 * reached_.back().mean;
  }
  double scale = 1.0;
  // Far longer than the mean: the one request may outlast all others together.
  if (uneven) {
    double longest = 0, together = 0;
    for (const Reached& reached : reached_) {
      longest = std::max(longest, decode_time(reached.table, 1.0, reached.most));
      together += reached.share * decode_time(reached.table, sequences, reached.mean);
    }
    if (longest > together && together > 0) scale = longest / together;
  }
  for (const Reached& reached : reached_) {
    for (const Corner& corner : decode_corners(reached.table, sequences, reached.mean)) {
      if (corner.weight > 0)
        decode_tables_[reached.table].prices.use(corner.row, reached.share * corner.weight * scale, price);
    }
  }
}

void OperatorStepPricer::add_decode(const StepBatch& batch, ListPrice& price) {
  group_decode(batch);
  for (std::size_t kind = 0; kind < decode_kinds_.size(); ++kind) add_decode_kind(kind, batch, price);
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
  price += sums_.price(plan_.attention_operators(shape_), pricer_);
}

}  // namespace warploom
