// Private to the module: the lists of operators that a StepPlan scales.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/graph_options.h"
#include "warploom/models/request_operators.h"
#include "warploom/models/scaled_operators.h"
#include "warploom/models/sharding.h"

namespace warploom {

// What every builder needs to know of the plan.
struct PlanContext {
  const ModelArchitecture& model;
  const Sharding& sharding;
  const GraphOptions& options;
  std::int64_t vocabulary = 0;     // rows of one GPU
  std::vector<LayerGroup> layers;  // merged
  LayerRange range;                // which of the model's they are
  bool first_stage = true, last_stage = true;
  DataType kv_cache = DataType::Bf16;

  std::int64_t layer_count() const;
  double activation_bytes() const { return bytes_per_element(model.dtype); }
  LaunchedLayer launched(const LayerGroup& group) const;
  // Whether experts are chosen, and dense layers computed, where the experts are.
  bool gate_apart() const { return !sharding.gate_on_attention; }
};

PlanContext make_plan_context(const ModelArchitecture& model, const Sharding& sharding,
                              const GraphOptions& options);

// The message of tokens to the ranks of their experts (Dispatch) or back (Combine), without tokens yet. What
// experts work in is what travels: the latent, where they have one; to them after quantisation where the
// engine does so. Needs a model with a mixture.
Collective expert_message(CollectiveKind kind, const ModelArchitecture& model, MatmulScheme experts,
                          const GraphOptions& options, std::int64_t ranks);

// Norms before and behind the parts of layers, and the mixing of residuals that are more than one sum.
void add_residuals(ScaledOperators& plan, const PlanContext& context);

ScaledOperators dense_plan(const PlanContext& context);
ScaledOperators collective_plan(const PlanContext& context);
RequestOperators attention_plan(const PlanContext& context);

}  // namespace warploom
