#include "warploom/predictor/training/training_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "warploom/hardware/gpu_class.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/training/few_shot_shapes.h"

namespace warploom {
namespace {

constexpr std::uint32_t kFewestRows = 5;      // of a cell
constexpr std::uint32_t kFewRowsOfGpu = 150;  // with fewer a GPU may be adapted
constexpr std::uint32_t kFewShare = 20;       // of the rows of the best measured GPU
constexpr std::uint32_t kCalibrationFolds = 10;

struct GpuUse {
  const GpuSpec* spec = nullptr;  // null: left out
  std::int64_t shapes_kept = -1;  // -1: all
};

std::vector<GpuUse> choose_gpus(const Dataset& dataset, const GpuCatalog& catalog,
                                const TrainingOptions& options) {
  std::set<std::string> excluded;
  for (const std::string& name : options.exclude_gpus) excluded.insert(catalog.get(name).name);
  std::map<std::string, std::int64_t> few;
  for (const auto& [name, shapes] : options.few_shot) few[catalog.get(name).name] = shapes;
  std::vector<GpuUse> uses;
  for (const std::string& name : dataset.gpus()) {
    GpuUse use;
    if (!excluded.contains(name)) use.spec = &catalog.get(name);
    if (const auto at = few.find(name); at != few.end()) use.shapes_kept = at->second;
    uses.push_back(use);
  }
  return uses;
}

Part part_of(std::uint64_t shape, const TrainingOptions& options) {
  if (options.split.is_test(shape)) return Part::HoldOut;
  return shape_fold(shape, kCalibrationFolds, options.split.seed + 1) == 0 ? Part::Calibrate : Part::Learn;
}

// Rows of a GPU that few-shot training chooses its shapes from.
std::vector<std::uint32_t> choosable(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                                     std::uint32_t gpu, const TrainingOptions& options) {
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t row : rows) {
    const Marks marks = dataset.marks(row);
    if (dataset.gpu_index(row) == gpu && !marks.biased && !marks.source_test &&
        part_of(dataset.shape(row), options) != Part::HoldOut)
      chosen.push_back(row);
  }
  return chosen;
}

using CellKey = std::tuple<std::string, std::string, std::string, std::string, std::uint32_t, bool>;

// GPUs that were asked to be few-shot, and those with hardly any rows beside the best measured one, adapt
// what the others say, as long as there are others.
void mark_adapted(const TrainingRows& rows, FamilyModel& model) {
  std::vector<std::uint32_t> counts(model.gpus.size(), 0);
  for (const std::uint32_t cell : rows.cell) ++counts[model.cells[cell].gpu];
  std::uint32_t most = 0;
  for (std::size_t g = 0; g < counts.size(); ++g)
    if (!model.gpus[g].adapted) most = std::max(most, counts[g]);
  const std::uint32_t few = std::min(kFewRowsOfGpu, most / kFewShare);
  for (std::size_t g = 0; g < counts.size(); ++g)
    model.gpus[g].adapted = most >= kFewestRows && (model.gpus[g].adapted || counts[g] < few);
}

// Drops thin cells and renumbers.
void drop_thin_cells(TrainingRows& rows, FamilyModel& model) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (model.gpus[model.cells[rows.cell[r]].gpu].adapted && rows.part[r] == Part::Calibrate)
      rows.part[r] = Part::Learn;
    if (rows.part[r] == Part::Learn) ++model.cells[rows.cell[r]].rows;
  }
  constexpr std::uint32_t kDropped = 0xFFFFFFFF;
  std::vector<std::uint32_t> number(model.cells.size(), kDropped);
  std::vector<CellRecord> kept;
  for (std::size_t c = 0; c < model.cells.size(); ++c) {
    if (model.cells[c].rows < (model.gpus[model.cells[c].gpu].adapted ? 1 : kFewestRows)) continue;
    number[c] = std::uint32_t(kept.size());
    kept.push_back(model.cells[c]);
  }
  model.cells = std::move(kept);
  std::size_t to = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::uint32_t cell = number[rows.cell[r]];
    if (cell == kDropped) continue;
    rows.source[to] = rows.source[r];
    rows.shape[to] = rows.shape[r];
    rows.part[to] = rows.part[r];
    rows.cell[to] = cell;
    if (rows.part[to] == Part::Learn) ++model.gpus[model.cells[cell].gpu].rows;
    ++to;
  }
  rows.source.resize(to);
  rows.shape.resize(to);
  rows.part.resize(to);
  rows.cell.resize(to);
}

}  // namespace

TrainingRows choose_rows(const Dataset& dataset, const GpuCatalog& catalog, Family family,
                         const TrainingOptions& options, FamilyModel& model) {
  const std::vector<GpuUse> uses = choose_gpus(dataset, catalog, options);
  const std::vector<std::uint32_t> all = dataset.rows_of(family);
  std::vector<std::set<std::uint64_t>> few(uses.size());
  for (std::uint32_t g = 0; g < uses.size(); ++g)
    if (uses[g].spec != nullptr && uses[g].shapes_kept >= 0)
      few[g] = few_shot_shapes(dataset, choosable(dataset, all, g, options), *uses[g].spec,
                               uses[g].shapes_kept, options.few_shot_per);

  std::map<CellKey, std::uint32_t> cells;
  std::map<std::string, std::uint16_t> gpus;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint16_t> contexts;
  TrainingRows rows;
  for (const std::uint32_t r : all) {
    const GpuUse& use = uses[dataset.gpu_index(r)];
    const Marks marks = dataset.marks(r);
    if (use.spec == nullptr || marks.biased || marks.source_test) continue;
    const std::uint64_t shape = dataset.shape(r);
    const Part part = part_of(shape, options);
    if (use.shapes_kept >= 0 && part != Part::HoldOut && !few[dataset.gpu_index(r)].contains(shape)) continue;
    const KernelContext context = dataset.context(r);
    const std::string framework(context.framework), version(context.version), kernel(context.kernel);
    const std::uint32_t kind = kind_code(dataset.op(r));
    const auto [cell, fresh] =
        cells.try_emplace(CellKey{use.spec->name, framework, version, kernel, kind, marks.launch_bound},
                          std::uint32_t(model.cells.size()));
    if (fresh) {
      const auto [gpu, new_gpu] = gpus.try_emplace(use.spec->name, std::uint16_t(model.gpus.size()));
      if (new_gpu)
        model.gpus.push_back(
            {use.spec->name, architecture_class(*use.spec), 0, use.shapes_kept >= 0, 0.0F, 0.0F});
      const auto [record, new_context] =
          contexts.try_emplace({framework, version, kernel}, std::uint16_t(model.contexts.size()));
      if (new_context) model.contexts.push_back({framework, version, kernel});
      CellRecord c;
      c.gpu = gpu->second;
      c.context = record->second;
      c.kind = std::uint16_t(kind);
      c.launch_bound = marks.launch_bound;
      model.cells.push_back(c);
    }
    rows.source.push_back(r);
    rows.cell.push_back(cell->second);
    rows.part.push_back(part);
    rows.shape.push_back(shape);
  }
  mark_adapted(rows, model);
  drop_thin_cells(rows, model);
  return rows;
}

}  // namespace warploom
