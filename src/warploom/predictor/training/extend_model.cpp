#include "warploom/predictor/training/extend_model.h"

#include <algorithm>
#include <string>

#include "warploom/base/error.h"
#include "warploom/predictor/model/cell_trees.h"

namespace warploom {
namespace {

constexpr std::uint32_t kGone = 0xFFFFFFFF;

bool same(const ContextRecord& a, const ContextRecord& b) {
  return a.framework == b.framework && a.version == b.version && a.kernel == b.kernel;
}

std::uint16_t gpu_in(FamilyModel& model, const GpuRecord& gpu) {
  const auto at = std::find_if(model.gpus.begin(), model.gpus.end(),
                               [&](const GpuRecord& known) { return known.name == gpu.name; });
  const auto number = std::uint16_t(at - model.gpus.begin());
  if (at == model.gpus.end()) {
    model.gpus.push_back(gpu);
    EnsembleRecord ensemble;
    ensemble.gpu = number;
    model.ensembles.insert(model.ensembles.begin() + number,
                           std::move(ensemble));  // those of GPUs come first
  }
  return number;
}

// The trees of every cell but those that are gone, under the new numbers.
void renumber_trees(FamilyModel& model, const std::vector<std::uint32_t>& number) {
  for (EnsembleRecord& ensemble : model.ensembles) {
    if (ensemble.gpu == CellRecord::kAnyGpu || ensemble.trees.empty() || model.gpus[ensemble.gpu].adapted)
      continue;
    std::vector<CellTrees> kept;
    for (const CellTreesView& own : split_cell_trees(ensemble.trees, name_of(model.family)))
      if (number[own.cell] != kGone) kept.push_back({number[own.cell], std::string(own.trees)});
    ensemble.trees = join_cell_trees(kept);
  }
}

// Trees and constants of an adapted GPU (GpuRecord::adapted) mean nothing once it is measured.
void forget_adaptation(FamilyModel& model, std::uint16_t gpu) {
  GpuRecord& record = model.gpus[gpu];
  record.adapted = false;
  record.level = record.share = 0;
  model.ensembles[gpu] = {};
  model.ensembles[gpu].gpu = gpu;
  std::erase_if(model.constants, [&](const ConstantsRecord& c) { return c.gpu == std::int32_t(gpu); });
}

}  // namespace

ExtendedModel extend_model(FamilyModel model, const FamilyModel& sweep) {
  WARPLOOM_ASSERT(sweep.gpus.size() == 1);
  if (model.trained_contexts == 0) model.trained_contexts = std::uint32_t(model.contexts.size());
  ExtendedModel result;
  result.gpu = gpu_in(model, sweep.gpus[0]);
  const bool adapted = model.gpus[result.gpu].adapted;
  std::vector<std::uint16_t> context_number;
  for (const ContextRecord& context : sweep.contexts) {
    const auto at = std::find_if(model.contexts.begin(), model.contexts.end(),
                                 [&](const ContextRecord& known) { return same(known, context); });
    context_number.push_back(std::uint16_t(at - model.contexts.begin()));
    if (at == model.contexts.end()) model.contexts.push_back(context);
  }
  std::vector<CellRecord> fresh = sweep.cells;
  for (CellRecord& cell : fresh) {
    cell.gpu = result.gpu;
    cell.context = context_number[cell.context];
  }
  const auto replaced = [&](const CellRecord& cell) {
    if (cell.gpu != result.gpu) return false;
    return adapted || std::any_of(fresh.begin(), fresh.end(), [&](const CellRecord& other) {
             return other.context == cell.context && other.kind == cell.kind &&
                    other.launch_bound == cell.launch_bound;
           });
  };
  std::vector<CellRecord> measured, classes;
  std::vector<std::uint32_t> number(model.cells.size(), kGone);
  for (std::size_t c = 0; c < model.cells.size(); ++c) {
    const CellRecord& cell = model.cells[c];
    if (cell.gpu == CellRecord::kAnyGpu) {
      classes.push_back(cell);
    } else if (!replaced(cell)) {
      number[c] = std::uint32_t(measured.size());
      measured.push_back(cell);
    }
  }
  renumber_trees(model, number);
  if (adapted) forget_adaptation(model, result.gpu);
  for (const CellRecord& cell : fresh) {
    result.new_cell.push_back(std::uint32_t(measured.size()));
    measured.push_back(cell);
  }
  result.measured_cells = measured.size();
  model.cells = std::move(measured);
  model.cells.insert(model.cells.end(), classes.begin(), classes.end());
  result.model = std::move(model);
  return result;
}

}  // namespace warploom
