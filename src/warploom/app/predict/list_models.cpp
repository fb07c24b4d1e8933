#include "warploom/app/predict/list_models.h"

#include <algorithm>

#include "warploom/kernels/operator_family.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/operator_graph.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

std::vector<std::string> measured_gpus(const Predictor& predictor, Family family) {
  std::vector<std::string> names;
  const FamilyModel* model = predictor.model(family);
  if (model == nullptr) return names;
  for (const GpuRecord& gpu : model->gpus) names.push_back(gpu.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<MeasuredBlock> blocks_of(const ModelArchitecture& model, const Predictor& predictor) {
  StepShape step;
  step.prefill = {{1, 1, 0}};
  step.decode = {{1, 1, 1}};
  step.logits_rows = 1;
  std::vector<MeasuredBlock> blocks;
  for (const OperatorNode& node : build_operator_graph(model, {}, step)) {
    const auto same = [&](const MeasuredBlock& block) { return block.block == node.label; };
    if (std::find_if(blocks.begin(), blocks.end(), same) != blocks.end()) continue;
    const Family family = family_of(node.op);
    blocks.push_back(
        {std::string(node.label), std::string(name_of(family)), measured_gpus(predictor, family)});
  }
  return blocks;
}

ModelListing listing_of(const ModelArchitecture& model, const Predictor& predictor) {
  const ParameterCounts parameters = parameter_counts(model);
  ModelListing listing;
  listing.name = model.name;
  listing.architecture = model.architecture;
  listing.layers = model.layer_count();
  listing.parameters = parameters.total;
  listing.active_parameters = parameters.active;
  listing.weights = weight_bytes_per_gpu(model, Sharding{});
  listing.kv_per_token = kv_footprint(model, Sharding{}).per_token();
  listing.notes = model.notes;
  listing.blocks = blocks_of(model, predictor);
  return listing;
}

ModelListing listing_of(const ModelCatalog::Entry& entry, const Predictor& predictor) {
  ModelListing listing = listing_of(entry.model, predictor);
  listing.name = entry.name;
  listing.aliases = entry.aliases;
  listing.source = entry.source;
  return listing;
}

}  // namespace

std::vector<ModelListing> list_models(const std::string& name_or_path, const FileScope& files) {
  const ModelCatalog catalog;
  const Predictor predictor;
  std::vector<ModelListing> listings;
  if (!name_or_path.empty()) {
    const ModelArchitecture* known = catalog.find(name_or_path);
    for (const ModelCatalog::Entry& entry : catalog.entries())
      if (&entry.model == known) return {listing_of(entry, predictor)};
    return {listing_of(catalog.load(name_or_path, files), predictor)};
  }
  for (const ModelCatalog::Entry& entry : catalog.entries()) listings.push_back(listing_of(entry, predictor));
  return listings;
}

}  // namespace warploom
