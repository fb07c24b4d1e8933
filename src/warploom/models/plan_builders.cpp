#include "warploom/models/plan_builders.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/models/model_split.h"

namespace warploom {

std::int64_t PlanContext::layer_count() const {
  std::int64_t total = 0;
  for (const LayerGroup& group : layers) total += group.count;
  return total;
}

LaunchedLayer PlanContext::launched(const LayerGroup& group) const {
  return {{.hidden = model.hidden, .dtype = model.dtype, .sharding = sharding, .kv_cache = kv_cache},
          options,
          group.count,
          group.schemes};
}

PlanContext make_plan_context(const ModelArchitecture& model, const Sharding& sharding,
                              const GraphOptions& options) {
  check_sharding(model, sharding, "sharding");
  PlanContext context{model, sharding, options,       local_vocabulary(model, sharding), {}, {},
                      true,  true,     DataType::Bf16};
  LayerRange range{0, model.layer_count()};
  if (options.pipeline_stage) {
    const std::int64_t stage = *options.pipeline_stage;
    if (stage < 0 || stage >= sharding.pipeline_parallel) {
      throw InvalidInput(
          fmt::format("pipeline_stage is {}, expected 0 to {}", stage, sharding.pipeline_parallel - 1));
    }
    range = stage_layers(model.layer_count(), sharding.pipeline_parallel, stage);
    context.first_stage = stage == 0;
    context.last_stage = stage == sharding.pipeline_parallel - 1;
  }
  context.layers = merged_layers(model, range.first, range.last);
  context.range = range;
  for (LayerGroup& group : context.layers) {
    if (group.schemes.experts == MatmulScheme::MxFp4A16) group.schemes.experts = options.mxfp4_scheme;
  }
  const bool sixteen_bit = model.quantization.kv_cache == DataType::Bf16;
  context.kv_cache = options.kv_cache.value_or(sixteen_bit ? model.dtype : model.quantization.kv_cache);
  return context;
}

}  // namespace warploom
