#include "warploom/predictor/answer/loaded_family.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/predictor/model/cell_trees.h"

namespace warploom {
namespace {

// Most features are log2 of something, so an octave: of a feature that never changed in training.
constexpr double kNarrowestRange = 1;

}  // namespace

LoadedFamily::LoadedFamily(FamilyModel m, const GpuCatalog& catalog)
    : model(std::move(m)),
      index(model),
      ensembles(model.ensembles.size()),
      cells(model.cells.size()),
      layer_trees(model.gpus.size()),
      learned_(model.gpus.size()) {
  by_gpu.assign(model.gpus.size(), -1);
  for (std::size_t i = 0; i < model.ensembles.size(); ++i) {
    if (model.ensembles[i].gpu == CellRecord::kAnyGpu) {
      cross = int(i);
    } else if (!model.ensembles[i].trees.empty()) {
      by_gpu[model.ensembles[i].gpu] = int(i);
      layer_trees[model.ensembles[i].gpu].encoded = model.ensembles[i].layer_trees;
      if (!model.gpus[model.ensembles[i].gpu].adapted) take_cells(model.ensembles[i]);
    }
  }
  for (const ContextRecord& context : model.contexts) {
    kernels.emplace_back(KernelContext{context.framework, context.version, context.kernel});
    kernels.back().routing = &routing;
  }
  for (std::size_t g = 0; g < model.gpus.size(); ++g) {
    specs.push_back(catalog.find(model.gpus[g].name));
    learned_[g].set(specs[g]);
    if (model.gpus[g].adapted && specs[g] != nullptr) adapted.emplace_back(specs[g]->name_hash, int(g));
  }
  for (const CellRecord& cell : model.cells)
    if (cell.gpu != CellRecord::kAnyGpu && !model.gpus[cell.gpu].adapted && specs[cell.gpu] != nullptr)
      sources |= std::uint32_t(1) << source_code(model.family, kernels[cell.context], *specs[cell.gpu]);
}

void LoadedFamily::take_cells(const EnsembleRecord& ensemble) {
  for (const CellTreesView& own : split_cell_trees(ensemble.trees, name_of(model.family))) {
    if (own.cell >= cells.size() || model.cells[own.cell].gpu != ensemble.gpu)
      throw InvalidInput(fmt::format("{}: trees of a cell of another GPU", name_of(model.family)));
    cells[own.cell].encoded = own.trees;
  }
}

const SymmetricEnsemble* LoadedFamily::decoded(const LazyCell& lazy) const {
  if (lazy.encoded.empty()) return nullptr;
  std::call_once(lazy.once, [&] {
    lazy.trees = SymmetricEnsemble(decode_symmetric(lazy.encoded, name_of(model.family)));
  });
  return &lazy.trees;
}

const SymmetricEnsemble* LoadedFamily::cell_trees(const CellRecord& cell) const {
  return decoded(cells[std::size_t(&cell - model.cells.data())]);
}

const SymmetricEnsemble* LoadedFamily::new_layer_trees(const CellRecord& cell,
                                                       const OperatorFeatures& row) const {
  if (row.layer == 0 || cell.layers.empty()) return nullptr;  // a calibrated cell lists none
  for (const std::uint32_t layer : cell.layers)
    if (layer == row.layer) return nullptr;
  return decoded(layer_trees[cell.gpu]);
}

const SizeCurves* LoadedFamily::curves() const {
  if (!is_shipped || model.family != Family::AllReduce) return nullptr;
  std::call_once(curves_.once, [&] { curves_.curves.emplace(shipped_size_curves(), model); });
  return &*curves_.curves;
}

const LoadedFamily::Lazy& LoadedFamily::decoded(int ensemble) const {
  const Lazy& lazy = ensembles[std::size_t(ensemble)];
  std::call_once(lazy.once, [&] {
    const EnsembleRecord& record = model.ensembles[std::size_t(ensemble)];
    const std::string_view where = name_of(model.family);
    if (record.gpu == CellRecord::kAnyGpu) {
      lazy.trees = TreeEnsemble(record.trees, where);
      return;
    }
    const AdaptationView parts = split_adaptation(record.trees, where);
    lazy.kriging = Kriging(parts.kriging, where);
    if (!parts.trees.empty()) lazy.trees = TreeEnsemble(parts.trees, where);
  });
  return lazy;
}

double LoadedFamily::outside(int ensemble, const OperatorFeatures& row) const {
  const EnsembleRecord& record = model.ensembles[std::size_t(ensemble)];
  const std::size_t count = std::min(record.low.size(), std::size_t(row.count));
  const float *low = record.low.data(), *high = record.high.data();
  int out = 0;  // a sum of comparisons, so that it becomes vectors
  for (std::size_t f = 0; f < count; ++f) out += int(row.values[f] < low[f]) + int(row.values[f] > high[f]);
  if (out == 0) return 0;
  double farthest = 0;
  for (std::size_t f = 0; f < count; ++f) {
    if ((row.part_slots >> f & 1) != 0) continue;
    const float beyond = std::max(low[f] - row.values[f], row.values[f] - high[f]);
    farthest = std::max(farthest, double(beyond) / std::max(double(high[f] - low[f]), kNarrowestRange));
  }
  return farthest;
}

int LoadedFamily::adapted_index(const GpuSpec& gpu) const {
  for (const auto& [hash, number] : adapted)
    if (hash == gpu.name_hash) return number;
  return -1;
}

const BaseConstants& LoadedFamily::constants(const GpuSpec& gpu) const {
  return constants_for(model.constants, adapted_index(gpu), model.family);
}

void LoadedFamily::features_of(std::size_t number, const Operator& op, const ContextKernel& kernel,
                               OperatorFeatures& row) const {
  learned_[number].compute(op, kernel, constants(*specs[number]), row);
}

void LoadedFamily::features_on(const GpuSpec& gpu, int number, const Operator& op,
                               const ContextKernel& kernel, OperatorFeatures& row) const {
  if (number >= 0 && learned_[std::size_t(number)].is_like(gpu))
    features_of(std::size_t(number), op, kernel, row);
  else
    compute_features(op, gpu, kernel, constants(gpu), row);
}

}  // namespace warploom
