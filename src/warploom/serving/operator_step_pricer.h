// The step price from kernels: the operators of a step, each priced by a LatencyModel.
//
// - Dense operators and collectives depend on the number of tokens: priced at the CUDA graph's padded size
// where a graph
//   holds the step, at the step's own size elsewhere; remembered on a grid of token counts (every one up to
//   64, then at most 1/32 apart) and interpolated.
// - Routed experts and the exchange of tokens with them likewise, by the tokens of all ranks that share them.
// - lm_head and sampling likewise, by the number of rows that yield a token.
// - Decode attention by the number of requests and their mean context, on a grid of both; the time is linear
// in their
//   product where bandwidth rules, which bilinear interpolation keeps exactly. Never below the time of the
//   longest request alone, which bounds a batch of uneven contexts.
//   Requests that verify drafts have several query tokens; all are priced with as many as the one that has
//   most.
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
  // Of decoding requests with so many query tokens each: a run has one or two kinds.
  struct DecodeTable {
    std::int64_t query_tokens = 1;
    PriceTable prices;
  };
  // The four grid points around a batch, with their weights.
  struct Corner {
    std::size_t row = 0;
    double weight = 0;
  };
  std::array<Corner, 4> decode_corners(DecodeTable& table, double sequences, double context);
  double decode_time(DecodeTable& table, double sequences, double context);
  DecodeTable& decode_table(std::int64_t query_tokens);

  StepPlan plan_;
  ScaledOperators beside_;
  OperatorPricer pricer_;
  std::vector<std::int64_t> graph_sizes_;
  PriceGrid token_grid_, row_grid_, sequence_grid_, context_grid_;
  PriceTable token_table_, group_table_, row_table_;
  bool serves_group_ = false;  // the plan has operators on the tokens of all ranks
  std::vector<DecodeTable> decode_tables_;
  KernelSums sums_;                  // of what no table holds; knows every kernel
  std::vector<OperatorNode> nodes_;  // of the part being listed
  StepShape shape_;                  // of the prefill chunks; keeps its memory
};

}  // namespace warploom
