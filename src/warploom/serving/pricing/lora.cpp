#include "warploom/serving/pricing/lora.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// One linear layer with adapters, as one GPU holds it: [in, out], `slices` outputs packed side by side.
struct Target {
  std::string_view shrink, expand;
  std::int64_t in = 0, out = 0, slices = 1, layers = 0;
};

std::vector<Target> targets_of(const ModelArchitecture& model, const Sharding& sharding) {
  const LocalShape local = local_shape(model, sharding);
  std::int64_t layers = 0, dense = 0;
  for (const LayerGroup& group : merged_layers(model, 0, model.layer_count())) {
    if (group.attention == AttentionKind::Latent || group.attention == AttentionKind::Linear) {
      throw Unsupported(fmt::format("enable_lora: adapters on {} layers are not modelled ({})",
                                    name_of(group.attention), model.name));
    }
    layers += group.count;
    if (!group.mixture) dense += group.count;
  }
  const std::int64_t queries = local.heads * model.head_dim, keys = local.kv_heads * model.head_dim;
  std::vector<Target> targets{
      {"lora_shrink_qkv", "lora_expand_qkv", model.hidden, queries + 2 * keys, 3, layers},
      {"lora_shrink_o", "lora_expand_o", queries, model.hidden, 1, layers}};
  if (dense > 0) {
    const std::int64_t gates = model.gated_mlp ? 2 : 1;
    targets.push_back({"lora_shrink_gate_up", "lora_expand_gate_up", model.hidden, gates * local.intermediate,
                       gates, dense});
    targets.push_back({"lora_shrink_down", "lora_expand_down", local.intermediate, model.hidden, 1, dense});
  }
  return targets;
}

}  // namespace

ScaledOperators lora_operators(const ModelArchitecture& model, const Sharding& sharding,
                               const LoraShape& shape) {
  ScaledOperators operators;
  const RowRule spread{.divisor = shape.adapters};
  for (const Target& target : targets_of(model, sharding)) {
    Gemm product;
    product.scheme = plain_scheme(model.dtype);
    product.batch = shape.adapters;
    product.n = shape.rank * target.slices;
    product.k = target.in;
    operators.add(target.shrink, target.layers, product, spread);
    // Each slice goes up from its own rank: all of them together are one product of depth `rank`.
    product.n = target.out;
    product.k = shape.rank;
    operators.add(target.expand, target.layers, product, spread);
  }
  return operators;
}

Bytes lora_weights(const ModelArchitecture& model, const Sharding& sharding, const LoraShape& shape) {
  double elements = 0;
  for (const Target& target : targets_of(model, sharding))
    elements += double(target.layers * shape.rank) * double(target.in * target.slices + target.out);
  return Bytes(elements * double(shape.adapters) * bytes_per_element(model.dtype));
}

}  // namespace warploom
