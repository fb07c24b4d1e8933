#include "warploom/tuned_files/adapter_file.h"

#include <algorithm>
#include <set>
#include <variant>

#include "warploom/models/model_split.h"

namespace warploom {
namespace {

// The widest of a product's slices: queries are wider than keys and values, all else is alike.
std::int64_t widest_slice(const AdaptedProduct& product, const LayerGroup& group, std::int64_t ranks) {
  const auto* const attention = std::get_if<Attention>(&group.mixer);
  if (product.slices == 3 && attention != nullptr)
    return std::max(product.out / product.slices, attention->heads / ranks * attention->head_dim);
  return product.out / product.slices;
}

}  // namespace

std::vector<AdapterProduct> adapter_products(const ModelArchitecture& model, const Sharding& sharding,
                                             std::int64_t rank, bool shrinks) {
  const LayerPlace place = place_of(model, sharding);
  std::set<AdapterProduct> found;
  for (const LayerGroup& group : model.layers) {
    std::vector<AdaptedProduct> layer;
    std::visit([&](const auto& mixer) { mixer.add_adapters(layer, place); }, group.mixer);
    std::visit([&](const auto& part) { part.add_adapters(layer, place); }, group.feed_forward);
    for (const AdaptedProduct& one : layer)
      found.insert(shrinks ? AdapterProduct{one.slices, one.in, rank, one.slices * rank}
                           : AdapterProduct{one.slices, rank,
                                            widest_slice(one, group, sharding.tensor_parallel), one.out});
  }
  return {found.begin(), found.end()};
}

}  // namespace warploom
