#include "warploom/serving/pricing/lora.h"

#include <fmt/format.h>

#include <vector>

#include "warploom/base/error.h"
#include "warploom/models/model_split.h"

namespace warploom {
namespace {

// Equal products of different layers joined.
void join(std::vector<AdaptedProduct>& products, const AdaptedProduct& product) {
  for (AdaptedProduct& known : products) {
    const bool equal = known.shrink == product.shrink && known.in == product.in && known.out == product.out &&
                       known.slices == product.slices;
    if (!equal) continue;
    known.layers += product.layers;
    return;
  }
  products.push_back(product);
}

std::vector<AdaptedProduct> adapted_products(const ModelArchitecture& model, const Sharding& sharding) {
  const LayerPlace place = place_of(model, sharding);
  std::vector<AdaptedProduct> products, layer;
  for (const LayerGroup& group : merged_layers(model, 0, model.layer_count())) {
    layer.clear();
    const auto add_mixer = [&](const auto& mixer) {
      if (!mixer.add_adapters(layer, place))
        throw Unsupported(
            fmt::format("enable_lora: adapters on {} layers are not modelled ({})", mixer.kName, model.name));
    };
    std::visit(add_mixer, group.mixer);
    std::visit([&](const auto& part) { part.add_adapters(layer, place); }, group.feed_forward);
    for (AdaptedProduct product : layer) {
      product.layers *= group.count;
      join(products, product);
    }
  }
  return products;
}

}  // namespace

ScaledOperators lora_operators(const ModelArchitecture& model, const Sharding& sharding,
                               const LoraShape& shape) {
  ScaledOperators operators;
  const RowRule spread{.divisor = shape.adapters};
  for (const AdaptedProduct& target : adapted_products(model, sharding)) {
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
  for (const AdaptedProduct& target : adapted_products(model, sharding))
    elements += double(target.layers * shape.rank) * double(target.in * target.slices + target.out);
  return Bytes(elements * double(shape.adapters) * bytes_per_element(model.dtype));
}

}  // namespace warploom
