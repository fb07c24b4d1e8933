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
      context_grid_(context_points(domain.context)),
      token_table_(token_grid_.size()),
      group_table_(token_grid_.size()),
      row_table_(row_grid_.size()) {
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
    price += pricer_.price(nodes_, &sums_);
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

OperatorStepPricer::DecodeTable& OperatorStepPricer::decode_table(std::int64_t query_tokens) {
  for (DecodeTable& table : decode_tables_)
    if (table.query_tokens == query_tokens) return table;
  return decode_tables_.emplace_back(
      DecodeTable{query_tokens, PriceTable(sequence_grid_.size() * context_grid_.size())});
}

std::array<OperatorStepPricer::Corner, 4> OperatorStepPricer::decode_corners(DecodeTable& table,
                                                                             double sequences,
                                                                             double context) {
  const GridPosition s = sequence_grid_.locate(sequences), c = context_grid_.locate(context);
  std::array<Corner, 4> corners;
  std::size_t i = 0;
  for (const auto& [si, sw] : {std::pair{s.low, 1.0 - s.weight}, std::pair{s.low + 1, s.weight}}) {
    for (const auto& [ci, cw] : {std::pair{c.low, 1.0 - c.weight}, std::pair{c.low + 1, c.weight}}) {
      if (sw * cw == 0) {
        ++i;
        continue;
      }
      const std::size_t row = si * context_grid_.size() + ci;
      if (!table.prices.has(row)) {
        StepShape step;
        step.decode.push_back({sequence_grid_[si], table.query_tokens, context_grid_[ci]});
        table.prices.fill(row, plan_.attention_operators(step), pricer_, sums_);
      }
      corners[i++] = {row, sw * cw};
    }
  }
  return corners;
}

double OperatorStepPricer::decode_time(DecodeTable& table, double sequences, double context) {
  double time = 0;
  for (const Corner& corner : decode_corners(table, sequences, context)) {
    if (corner.weight > 0) time += corner.weight * table.prices.time(corner.row);
  }
  return time;
}

void OperatorStepPricer::add_decode(const StepBatch& batch, ListPrice& price) {
  DecodeTable& table = decode_table(batch.decode_query_tokens);
  const double sequences = double(batch.decode_requests);
  const double mean_context = double(batch.decode_context_sum) / sequences;
  double scale = 1.0;
  // Far longer than the mean: the one request may outlast all others together.
  if (double(batch.decode_context_max) > 2.0 * mean_context) {
    const double longest = decode_time(table, 1.0, batch.decode_context_max),
                 together = decode_time(table, sequences, mean_context);
    if (longest > together && together > 0) scale = longest / together;
  }
  for (const Corner& corner : decode_corners(table, sequences, mean_context)) {
    if (corner.weight > 0) table.prices.use(corner.row, corner.weight * scale, price);
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
  price += pricer_.price(plan_.attention_operators(shape_), &sums_);
}

}  // namespace warploom
