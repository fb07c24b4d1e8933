// The step price from kernels: the operators of a step, each priced by a LatencyModel.
//
// - Dense operators and collectives depend on the number of tokens: priced at the CUDA graph's padded size
// where a graph
//   holds the step, at the step's own size elsewhere; remembered on a grid of token counts (every one up to
//   64, then at most 1/32 apart) and interpolated.
// - Routed experts and the exchange of tokens with them likewise, by the tokens of all ranks that share them.
// - lm_head and sampling likewise, by the number of rows that yield a token.
// - Decode attention by the number of requests, the mean of their contexts and how far the longest is beyond
//   it, on a grid of the three: what kernels do depends on little else, so a batch of unlike requests costs
//   what its requests one by one do. Time is linear in requests times context where
//   bandwidth rules, which bilinear interpolation keeps exactly.
//   Layers that reach all tokens, a window or a chunk have tables of their own. Where some requests lie
//   within a window and some beyond it, the grid is over the mean of the former and the share of the latter.
//   Requests with another number of query tokens (drafts) are priced apart, each as its share of a batch of
//   as many like it.
// - Prefill attention exactly: one call with all chunks of the step, each with its cached history and causal
// part.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warploom/models/step_plan.h"
#include "warploom/serving/cuda_graph.h"
#include "warploom/serving/operator_pricer.h"
#include "warploom/serving/price_grid.h"
#include "warploom/serving/price_table.h"
#include "warploom/serving/serving_config.h"
#include "warploom/serving/step_pricer.h"

namespace warploom {

// The largest sizes that tables cover; larger steps are priced without tables.
struct PricedDomain {
  std::int64_t tokens = 65536;
  std::int64_t sequences = 8192;
  std::int64_t context = 1 << 21;
};

class OperatorStepPricer final : public StepPricer {
 public:
  // The model and the GPU in `pricer` outlive this and its clones. Graph sizes from cuda_graph_sizes(). A
  // plan over several pipeline stages prices one batch that passes through all of them. `beside`: operators
  // that no model's plan has and that scale with the step's tokens (adapters, a drafter's own).
  OperatorStepPricer(const StepPlan& plan, OperatorPricer pricer, std::vector<std::int64_t> graph_sizes,
                     ScaledOperators beside = {}, const PricedDomain& domain = {});

  StepCost price(const StepBatch& batch) override;
  std::vector<KernelTime> breakdown() const override;
  std::unique_ptr<StepPricer> clone() const override;
  std::size_t coupled_replicas() const override {
    return std::size_t(plan_.sharding().attention_data_parallel);
  }

 private:
  // A part of the step that depends on one size: lists its operators into nodes_.
  using Part = void (OperatorStepPricer::*)(std::int64_t size);
  void list_per_token(std::int64_t tokens);
  void list_per_group_token(std::int64_t group_tokens);
  void list_per_row(std::int64_t rows);
  void add_part(Part part, std::int64_t size, const PriceGrid& grid, PriceTable& table, ListPrice& price);
  void add_decode(const StepBatch& batch, ListPrice& price);
  void add_prefill(const StepBatch& batch, ListPrice& price);
  // Decoding requests with equally many query tokens: their contexts as a kind of layer sees them. Those
  // beyond its window are counted apart.
  struct DecodeGroup {
    std::int64_t query_tokens = 1, requests = 0, context_sum = 0, context_max = 0;
    std::int64_t beyond = 0, beyond_sum = 0;  // not in the above
    std::int64_t all() const { return requests + beyond; }
    void add(std::int64_t context, const ContextReach& reach);
  };
  // The operators whose kernels reach the same tokens of a request, and the contexts they are priced at.
  struct DecodeKind {
    ContextReach reach;
    PriceGrid contexts;
    std::vector<std::size_t> operators;  // by their place in the plan's decode operators
  };
  // What tells batches of one number of requests and one mean context apart: how far the longest is beyond
  // the mean, in steps of 2^(1/4); or how many of eight lie beyond the window, at 2^octave windows.
  struct DecodeMix {
    int evenness = 0, beyond = 0, octave = 0;
    bool operator==(const DecodeMix&) const = default;
  };
  struct DecodePlane {
    DecodeMix mix;
    PriceTable prices;  // by number of requests and mean context (of those within the window)
  };
  // Of one kind, for requests with so many query tokens each. Planes are made on first use.
  struct DecodeTable {
    std::size_t kind = 0;
    std::int64_t query_tokens = 1;
    std::vector<DecodePlane> planes;
  };
  static std::vector<DecodeKind> decode_kinds(const StepPlan& plan,
                                              const std::vector<std::int64_t>& contexts);
  void group_by_queries(const StepBatch& batch);
  void group_by_reach(const ContextReach& reach, const StepBatch& batch);
  DecodeTable& decode_table(std::size_t kind, std::int64_t query_tokens);
  DecodePlane& decode_plane(DecodeTable& table, const DecodeMix& mix);
  // The batch that a row of a plane holds.
  StepShape decode_step(const DecodeTable& table, const DecodeMix& mix, std::int64_t sequences,
                        std::int64_t context) const;
  void add_decode_group(DecodeTable& table, const DecodeGroup& group, double sequences, ListPrice& price);
  // Adds `weight` times a batch of so many requests.
  void use_plane(DecodeTable& table, const DecodeMix& mix, double sequences, double context, double weight,
                 ListPrice& price);

  StepPlan plan_;
  ScaledOperators beside_;
  OperatorPricer pricer_;
  std::vector<std::int64_t> graph_sizes_;
  PriceGrid token_grid_, row_grid_, sequence_grid_;
  PriceTable token_table_, group_table_, row_table_;
  bool serves_group_ = false;  // the plan has operators on the tokens of all ranks
  std::vector<DecodeKind> decode_kinds_;
  std::vector<DecodeTable> decode_tables_;
  std::vector<DecodeGroup> query_groups_, reach_groups_;  // of the step being priced; they keep their memory
  KernelSums sums_;                                       // of what no table holds; knows every kernel
  std::vector<OperatorNode> nodes_;                       // of the part being listed
  StepShape shape_;                                       // of the prefill chunks; keeps its memory
};

}  // namespace warploom
