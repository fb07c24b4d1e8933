// The step price from kernels: the operators of a step, each priced by a LatencyModel.
//
// - Dense operators and collectives depend on the number of tokens: priced at the CUDA graph's padded size
//   where a graph holds the step, at the step's own size elsewhere; remembered on a grid of token counts
//   (every one up to 64, then at most 1/32 apart) and interpolated.
// - Routed experts and the exchange of tokens with them likewise, by the tokens of all ranks that share them
//   (without the rows that padding adds, where the engine gives these no expert); where ranks have unequal
//   numbers of them, the exchange by the busiest link. Where an engine splits a step in two halves, each half
//   is priced at its size and the exchange runs beside the computing (batch_overlap.h).
// - How long the busiest rank's experts take varies from step to step with what its tokens choose
//   (routing_spread.h): a step that has a number is given its own draw, whose mean is what is priced.
// - lm_head and sampling likewise, by the number of rows that yield a token.
// - Decode attention by the number of requests and their mean context, on a grid of both; the time is linear
//   in their product where bandwidth rules, which bilinear interpolation keeps exactly, so that the mean
//   serves for the requests one by one. Never below the time of the longest request alone, which bounds a
//   batch of uneven contexts. Layers that reach all tokens, a window or a chunk have tables of their own.
//   Requests within a window and those beyond it are priced apart, each as their share of a batch of as many
//   like them; so are those with another number of query tokens (drafts).
// - Prefill attention exactly: one call with all chunks of the step, each with its cached history and causal
//   part. Where all are alike, the price is remembered: a run meets the same lengths again and again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "warploom/base/hash.h"
#include "warploom/models/step_plan.h"
#include "warploom/serving/pricing/batch_overlap.h"
#include "warploom/serving/pricing/cuda_graph.h"
#include "warploom/serving/pricing/operator_pricer.h"
#include "warploom/serving/pricing/price_grid.h"
#include "warploom/serving/pricing/price_table.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// Sizes that a step's kernels are launched at: tokens of this GPU, and of all that share the experts.
struct LaunchSizes {
  std::int64_t tokens = 1, group_tokens = 1, exchanged_tokens = 1;
  friend bool operator==(const LaunchSizes&, const LaunchSizes&) = default;
};

// The largest sizes that tables cover; larger steps are priced without tables.
struct PricedDomain {
  std::int64_t tokens = 65536;
  std::int64_t sequences = 8192;
  std::int64_t context = 1 << 21;
};

class OperatorStepPricer final : public StepPricer {
 public:
  // The model and the GPU in `pricer` outlive this and its clones. Padded sizes from cuda_graph_sizes(). A
  // plan over several pipeline stages prices one batch that passes through all of them. `beside`: operators
  // that no model's plan has and that scale with the step's tokens (adapters, a drafter's own).
  OperatorStepPricer(const StepPlan& plan, OperatorPricer pricer, StepPadding padding,
                     ScaledOperators beside = {}, const BatchOverlap& overlap = {},
                     const PricedDomain& domain = {});

  StepCost price(const StepBatch& batch) override;
  // The list of a step at sizes of one's own, for pricers that arrange steps otherwise; breakdown() counts it
  // as many times. Requests and rows are those of `batch`, which may have none of them.
  ListPrice list_price(const StepBatch& batch, const LaunchSizes& sizes, double times = 1);
  // The list of lm_head and sampling alone; rows > 0.
  ListPrice rows_price(std::int64_t rows);
  std::vector<KernelTime> breakdown() const override;
  std::unique_ptr<StepPricer> clone() const override;
  void forget_uses();  // breakdown() starts anew
  std::size_t coupled_replicas() const override {
    return std::size_t(plan_.sharding().attention_data_parallel);
  }

 private:
  // A part of the step that depends on one size: lists its operators into nodes_.
  using Part = void (OperatorStepPricer::*)(std::int64_t size);
  void list_per_token(std::int64_t tokens);
  void list_per_group_token(std::int64_t group_tokens);
  void list_per_exchanged_token(std::int64_t group_tokens);
  std::int64_t exchanged_tokens(const StepBatch& batch) const;
  void list_per_row(std::int64_t rows);
  // A part with its table.
  struct TabledPart {
    Part list;
    PriceGrid OperatorStepPricer::*grid;
    PriceTable OperatorStepPricer::*table;
  };
  static const TabledPart kPerToken, kPerGroupToken, kPerExchangedToken, kPerRow;
  void add_part(const TabledPart& part, std::int64_t size, ListPrice& price);
  // The parts that do not depend on contexts, of a step that runs as one.
  void add_sized(const LaunchSizes& sizes, std::int64_t rows, ListPrice& price);
  // The same, and nothing is worked out where the step before had the same sizes: most steps of decoding.
  const ListPrice& sized_price(const LaunchSizes& sizes, std::int64_t rows);
  // Whether the step has choices of its own that move its time.
  bool draws(const StepBatch& batch) const { return batch.step_draw != 0 && draws_choices_; }
  // What they add to the time of routed experts, which have taken `routed` on average.
  double drawn_deviation(const StepBatch& batch, std::int64_t group_tokens, double routed);
  double spread_at(std::size_t row);
  void add_decode(const StepBatch& batch, std::int64_t parts, ListPrice& price);
  void add_prefill(const StepBatch& batch, ListPrice& price);
  const PricedList& prompt_list(const RequestGroup& chunks);  // of a step whose chunks are these alone
  // Decoding requests of a batch that are priced as alike.
  struct DecodeGroup {
    std::int64_t query_tokens = 1, requests = 0, context_sum = 0, context_max = 0;
    void add(std::int64_t context);
    double mean() const { return double(context_sum) / double(requests); }
  };
  // The operators whose kernels reach the same tokens of a request, and the contexts they are priced at.
  struct DecodeKind {
    ContextReach reach;
    PriceGrid contexts;
    std::vector<std::size_t> operators;  // by their place in the plan's decode operators
  };
  // Where the step before lay in a table, and most steps lie: the rows around it are filled.
  struct DecodeCell {
    double sequences = -1;
    GridPosition sequence;
    double from = 0, to = 0;  // contexts between these, both outside
    std::size_t context = 0;
  };
  // Prices of one kind for requests with so many query tokens each, by their number and mean context.
  struct DecodeTable {
    std::size_t kind = 0;
    std::int64_t query_tokens = 1;
    PriceTable prices;
    DecodeCell together, alone;  // of the last group, and of its longest request alone
  };
  // Which table a group of one kind is priced from, and the rows around it.
  struct Corners {
    std::size_t table = 0;  // of decode_tables_
    std::array<std::pair<std::size_t, double>, 4> rows;
    std::size_t count = 0;
    std::span<const std::pair<std::size_t, double>> all() const { return {rows.data(), count}; }
  };
  static std::vector<DecodeKind> decode_kinds(const StepPlan& plan,
                                              const std::vector<std::int64_t>& contexts);
  void group_by_queries(const StepBatch& batch);
  void group_by_reach(const ContextReach& reach, const StepBatch& batch);
  void add_decode_kind(std::size_t kind, std::span<const DecodeGroup> groups, double sequences, double parts,
                       ListPrice& price);
  std::size_t decode_table(std::size_t kind, std::int64_t query_tokens);  // of decode_tables_
  // The rows around a batch are filled then.
  void find_corners(Corners& corners, DecodeCell DecodeTable::*last, double sequences, double context);
  void fill_decode(DecodeTable& table, std::size_t sequences, std::size_t context);
  double time_of(const Corners& corners) const;

  StepPlan plan_;
  ScaledOperators beside_;
  BatchOverlap overlap_;
  OperatorPricer pricer_;
  StepPadding padding_;
  PriceGrid token_grid_, row_grid_, sequence_grid_;
  PriceTable token_table_, group_table_, exchange_table_, row_table_;
  std::vector<double> spread_;  // of the group's rows; below zero: not worked out
  bool draws_choices_ = false;  // experts wait for what a dispatch brings to their rank
  bool serves_group_ = false;   // the plan has operators on the tokens of all ranks
  std::vector<DecodeKind> decode_kinds_;
  std::vector<DecodeTable> decode_tables_;
  std::vector<DecodeGroup> query_groups_, reach_groups_;  // of the step being priced; they keep their memory
  std::vector<Corners> corners_;                          // of the groups of one kind
  // What one size took of a table.
  struct Use {
    PriceTable OperatorStepPricer::*table = nullptr;
    std::size_t row = 0;
    double weight = 0;
  };
  // The sized parts of the last step.
  struct SizedPrice {
    LaunchSizes sizes;
    std::int64_t rows = -1;
    ListPrice price;
    std::array<Use, 8> uses{};  // two rows of each part, at most
    std::size_t count = 0;
    bool tabled = false;  // nothing of it was worked out without a table
    bool open = false;    // it is being priced
  };
  SizedPrice kept_;
  double times_ = 1;                 // that the list being priced counts
  KernelSums sums_;                  // of what no table holds; knows every kernel
  std::vector<OperatorNode> nodes_;  // of the part being listed
  StepShape shape_;                  // of the prefill chunks; keeps its memory
  struct HashOfGroup {
    std::size_t operator()(const RequestGroup& group) const {
      const std::uint64_t hash = hash_combine(std::uint64_t(group.count), std::uint64_t(group.query_tokens));
      return std::size_t(hash_combine(hash, std::uint64_t(group.context_tokens)));
    }
  };
  std::unordered_map<RequestGroup, PricedList, HashOfGroup> prompts_;
};

}  // namespace warploom
