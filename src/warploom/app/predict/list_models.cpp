#include "warploom/app/predict/list_models.h"

#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

ModelListing listing_of(const ModelArchitecture& model) {
  const ParameterCounts parameters = parameter_counts(model);
  ModelListing listing;
  listing.name = model.name;
  listing.architecture = model.architecture;
  listing.layers = model.layer_count();
  listing.parameters = parameters.total;
  listing.active_parameters = parameters.active;
  listing.weights = weight_bytes_per_gpu(model, Sharding{});
  listing.kv_per_token = kv_footprint(model, Sharding{}).per_token();
  return listing;
}

}  // namespace

std::vector<ModelListing> list_models(const std::string& name_or_path, const FileScope& files) {
  const ModelCatalog catalog;
  if (!name_or_path.empty()) return {listing_of(catalog.load(name_or_path, files))};
  std::vector<ModelListing> listings;
  for (const ModelCatalog::Entry& entry : catalog.entries()) {
    ModelListing listing = listing_of(entry.model);
    listing.name = entry.name;
    listing.aliases = entry.aliases;
    listing.source = entry.source;
    listings.push_back(std::move(listing));
  }
  return listings;
}

}  // namespace warploom
