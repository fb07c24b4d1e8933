// The price of a step that verifies drafts and makes the next ones: the target's forward pass over all query
// tokens, then the drafter's passes over the same tokens and, one token at a time, over what it proposes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/pricing/operator_step_pricer.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {

// Who drafts: SGLang's EAGLE without a draft model is the checkpoint's own prediction module where it has one
// (its NEXTN is another word for that), else what `speculation` says.
DraftMethod drafting_method(const ServingConfig& config, const SpeculativeConfig& speculation,
                            const ModelArchitecture& target);

// The drafter as a model of its own. Eagle: one dense layer of the target's width (EAGLE's heads are dense,
// whatever the target is) and an lm_head; Eagle3: such a layer whose attention reads the token's embedding
// beside the hidden state, and an lm_head over the tokens that it may propose; Mtp: one module, the target's
// last layer (of MiMo-V2 and Step a dense one that sees a window). A DraftModel is `model` itself. Throws
// InvalidInput for Mtp when the checkpoint has no prediction layer, Unsupported where its modules are a
// DSpark drafter.
ModelArchitecture drafter_architecture(DraftMethod method, const ModelArchitecture& target);

// The product before the drafter's layer, whole on every GPU: of Eagle and Mtp it joins the target's hidden
// state and the embedding before every pass; of Eagle3 it joins the states of three layers, once in a step,
// since a pass over a proposed token takes the state of the pass before it. Empty for draft models.
struct DrafterFusion {
  ScaledOperators each_pass, each_step;
};
DrafterFusion drafter_fusion(DraftMethod method, const ModelArchitecture& target);

// What one GPU holds of the drafter beside its layer's weights: the fusion, and where the target's does not
// serve, an lm_head.
Bytes drafter_weights_beside(DraftMethod method, const ModelArchitecture& target, const Sharding& sharding);

// Modules of which an engine keeps weights and caches: all that the checkpoint has, whichever a step runs.
std::int64_t drafter_modules(DraftMethod method, const ModelArchitecture& target);

class DraftingStepPricer final : public StepPricer {
 public:
  // `steps` >= 1 tokens are proposed for each request that yields a token.
  DraftingStepPricer(std::unique_ptr<StepPricer> target, std::unique_ptr<StepPricer> drafter,
                     std::int64_t steps)
      : target_(std::move(target)), drafter_(std::move(drafter)), steps_(steps) {}

  StepCost price(const StepBatch& batch) override;
  // The drafter's kernels are labelled "draft <label>".
  std::vector<KernelTime> breakdown() const override;
  std::unique_ptr<StepPricer> clone() const override;
  std::size_t coupled_replicas() const override { return target_->coupled_replicas(); }

 private:
  std::unique_ptr<StepPricer> target_, drafter_;
  std::int64_t steps_;
  std::vector<std::int32_t> contexts_;  // of a pass over proposed tokens; keeps its memory
};

}  // namespace warploom
