// The price of a step that verifies drafts and makes the next ones: the target's forward pass over all query
// tokens, then the drafter's passes over the same tokens and, one token at a time, over what it proposes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/pricing/operator_step_pricer.h"
#include "warploom/serving/speculation/drafter.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {

// Who drafts: SGLang's EAGLE without a draft model is the checkpoint's own prediction module where it has one
// (its NEXTN is another word for that), else what `speculation` says.
const DraftMethod* drafting_method(const ServingConfig& config, const SpeculativeConfig& speculation,
                                   const ModelArchitecture& target);

// The drafter that a configuration asks for beside the target. `own`: its config.json where it is known.
// Throws InvalidInput for `mtp` when the checkpoint has no prediction layer and where a method needs a
// config.json that is not known, Unsupported where the prediction layers are a DSpark drafter.
Drafter drafter_for(const DraftMethod& method, const ModelArchitecture& target,
                    const DraftConfig* own = nullptr);

// How a step drafts: passes of one token each, or one pass over a block.
struct DraftPasses {
  std::int64_t steps = 1;          // tokens proposed for each request that yields a token
  std::int64_t block_queries = 0;  // tokens of a request in the pass over a block; 0: one after another
};

class DraftingStepPricer final : public StepPricer {
 public:
  DraftingStepPricer(std::unique_ptr<StepPricer> target, std::unique_ptr<StepPricer> drafter,
                     DraftPasses passes)
      : target_(std::move(target)), drafter_(std::move(drafter)), passes_(passes) {}

  StepCost price(const StepBatch& batch) override;
  // The drafter's kernels are labelled "draft <label>".
  std::vector<KernelTime> breakdown() const override;
  std::unique_ptr<StepPricer> clone() const override;
  std::size_t coupled_replicas() const override { return target_->coupled_replicas(); }

 private:
  StepCost price_block(const StepBatch& batch, const StepCost& verifying);

  std::unique_ptr<StepPricer> target_, drafter_;
  DraftPasses passes_;
  std::vector<std::int32_t> contexts_, queries_;  // of a pass over proposed tokens; they keep their memory
};

}  // namespace warploom
