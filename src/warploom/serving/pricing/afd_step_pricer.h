// The step price of a replica whose experts are on GPUs apart from attention (models/afd_plan.h,
// afd_pipeline.h): both sides from kernels at the sizes of a micro-batch, each by its own ranks.
//
// The interval: below, as if every kernel were at its p10; above, at its p90 and with transfers that hide
// nothing. No measured run stands behind the overlap itself.
#pragma once

#include <memory>
#include <vector>

#include "warploom/models/afd_plan.h"
#include "warploom/serving/pricing/afd_pipeline.h"
#include "warploom/serving/pricing/operator_step_pricer.h"

namespace warploom {

// What one micro-batch takes on both sides and on the ways between them, in all layers, and what the step
// takes before and behind those.
struct AfdSides {
  StepCost attention, to_experts, experts, from_experts, ends;
  AfdTimes at(Seconds StepCost::*end) const {
    return {(attention.*end).value(), (to_experts.*end).value(), (experts.*end).value(),
            (from_experts.*end).value()};
  }
  StepCost step(std::int64_t layers, std::int64_t micro_batches) const;
};

class AfdStepPricer final : public StepPricer {
 public:
  // As OperatorStepPricer; a step is dealt out to `micro_batches` where it has as many tokens.
  AfdStepPricer(AfdPlan plan, OperatorPricer pricer, StepPadding padding, std::int64_t micro_batches,
                const PricedDomain& domain = {});

  StepCost price(const StepBatch& batch) override;
  std::vector<KernelTime> breakdown() const override;
  std::unique_ptr<StepPricer> clone() const override;
  std::size_t coupled_replicas() const override { return attention_.coupled_replicas(); }

 private:
  // One way between the sides, by the tokens that are sent.
  struct Way {
    bool there = true;
    PriceTable table;
  };
  StepBatch micro_batch_of(const StepBatch& batch, std::int64_t micro_batches);
  ListPrice way_price(Way& way, std::int64_t tokens, double times);
  std::span<const OperatorNode> operators_of(const Way& way, std::int64_t tokens);

  AfdPlan plan_;
  OperatorPricer pricer_;
  StepPadding padding_;
  std::int64_t micro_batches_;
  OperatorStepPricer attention_, feed_forward_;
  PriceGrid grid_;
  Way to_, from_;
  KernelSums sums_;                   // of both ways
  std::vector<PrefillChunk> chunks_;  // of the micro-batch being priced; keeps its memory
};

}  // namespace warploom
