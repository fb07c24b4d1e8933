// Private to the module: the lists of operators that a StepPlan scales.
#pragma once

#include <cstdint>
#include <string_view>
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
  LocalShape local;
  std::vector<LayerGroup> layers;  // merged
  bool first_stage = true, last_stage = true;
  DataType kv_cache = DataType::Bf16;

  std::int64_t layer_count() const;
  double activation_bytes() const { return bytes_per_element(model.dtype); }
};

PlanContext make_plan_context(const ModelArchitecture& model, const Sharding& sharding,
                              const GraphOptions& options);

ScaledOperators dense_plan(const PlanContext& context);
// The projections, norms and positions of one group of alike layers, without attention itself
// (attention_nodes.cpp).
void add_attention_projections(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group);
// One linear layer: a Quantize where the scheme needs a separate one, unless the kernel before it writes
// narrow values, then the product.
void add_linear(ScaledOperators& plan, const PlanContext& context, std::string_view label, std::int64_t count,
                MatmulScheme scheme, std::int64_t n, std::int64_t k);

ScaledOperators collective_plan(const PlanContext& context);
RequestOperators attention_plan(const PlanContext& context);

}  // namespace warploom
