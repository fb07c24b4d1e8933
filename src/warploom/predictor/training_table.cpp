#include "warploom/predictor/training_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

constexpr std::uint32_t kFewestRows = 5;
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

// Shapes of a few-shot GPU that stay: those of least hash.
std::set<std::uint64_t> first_shapes(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                                     std::uint32_t gpu, std::int64_t count, const TrainingOptions& options) {
  std::set<std::uint64_t> shapes;
  for (const std::uint32_t row : rows)
    if (dataset.gpu_index(row) == gpu && part_of(dataset.shape(row), options) != Part::HoldOut) {
      shapes.insert(dataset.shape(row));
      if (std::int64_t(shapes.size()) > count) shapes.erase(std::prev(shapes.end()));
    }
  return shapes;
}

using CellKey = std::tuple<std::string, std::string, std::string, std::string, std::uint32_t, bool>;

// Offsets, then dropping thin cells and renumbering.
void finish_cells(TrainingTable& table, FamilyModel& model) {
  std::vector<double> sums(model.cells.size(), 0);
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (table.part[r] == Part::Learn) {
      sums[table.cell[r]] += double(table.target[r]);
      ++model.cells[table.cell[r]].rows;
    }
  std::vector<std::uint32_t> number(model.cells.size(), 0xFFFFFFFF);
  std::vector<CellRecord> kept;
  for (std::size_t c = 0; c < model.cells.size(); ++c) {
    if (model.cells[c].rows < kFewestRows) continue;
    number[c] = std::uint32_t(kept.size());
    kept.push_back(model.cells[c]);
    kept.back().offset = float(sums[c] / double(model.cells[c].rows));
  }
  model.cells = std::move(kept);
  std::size_t to = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::uint32_t cell = number[table.cell[r]];
    if (cell == 0xFFFFFFFF) continue;
    std::copy_n(table.features.begin() + std::ptrdiff_t(r * table.columns), table.columns,
                table.features.begin() + std::ptrdiff_t(to * table.columns));
    table.target[to] = table.target[r];
    table.log_base[to] = table.log_base[r];
    table.shape[to] = table.shape[r];
    table.part[to] = table.part[r];
    table.cell[to] = cell;
    if (table.part[to] == Part::Learn) ++model.gpus[model.cells[cell].gpu].rows;
    ++to;
  }
  table.features.resize(to * table.columns);
  for (auto* column : {&table.target, &table.log_base}) column->resize(to);
  table.shape.resize(to);
  table.part.resize(to);
  table.cell.resize(to);
}

}  // namespace

TrainingTable make_training_table(const Dataset& dataset, const GpuCatalog& catalog, Family family,
                                  const TrainingOptions& options, FamilyModel& model) {
  const std::vector<GpuUse> uses = choose_gpus(dataset, catalog, options);
  const std::vector<std::uint32_t> rows = dataset.rows_of(family);
  std::vector<std::set<std::uint64_t>> few(uses.size());
  for (std::uint32_t g = 0; g < uses.size(); ++g)
    if (uses[g].spec != nullptr && uses[g].shapes_kept >= 0)
      few[g] = first_shapes(dataset, rows, g, uses[g].shapes_kept, options);

  std::map<CellKey, std::uint32_t> cells;
  std::map<std::string, std::uint16_t> gpus;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint16_t> contexts;
  TrainingTable table;
  FeatureRow features;
  for (const std::uint32_t r : rows) {
    const GpuUse& use = uses[dataset.gpu_index(r)];
    const Marks marks = dataset.marks(r);
    if (use.spec == nullptr || marks.biased || marks.source_test) continue;
    const std::uint64_t shape = dataset.shape(r);
    const Part part = part_of(shape, options);
    if (use.shapes_kept >= 0 && part != Part::HoldOut && !few[dataset.gpu_index(r)].contains(shape)) continue;
    compute_features(dataset.op(r), *use.spec, features);
    table.columns = std::size_t(features.count);
    table.features.insert(table.features.end(), features.values.begin(),
                          features.values.begin() + features.count);
    table.target.push_back(float(std::log(dataset.latency(r).value()) - features.log_base));
    table.log_base.push_back(float(features.log_base));
    table.shape.push_back(shape);
    table.part.push_back(part);
    const KernelContext context = dataset.context(r);
    const std::string framework(context.framework), version(context.version), kernel(context.kernel);
    const std::uint32_t kind = kind_code(dataset.op(r));
    const auto [cell, fresh] =
        cells.try_emplace(CellKey{use.spec->name, framework, version, kernel, kind, marks.launch_bound},
                          std::uint32_t(model.cells.size()));
    if (fresh) {
      const auto [gpu, new_gpu] = gpus.try_emplace(use.spec->name, std::uint16_t(model.gpus.size()));
      if (new_gpu) model.gpus.push_back({use.spec->name, architecture_class(*use.spec), 0});
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
    table.cell.push_back(cell->second);
  }
  finish_cells(table, model);
  return table;
}

namespace {

using ClassKey = std::tuple<std::string, std::string, std::uint16_t>;

ClassKey class_of(const FamilyModel& model, const CellRecord& cell) {
  const ContextRecord& context = model.contexts[cell.context];
  return {context.framework, context.kernel, cell.kind};
}

// Running mean over GPUs of per-GPU means.
struct GpuMeans {
  std::map<std::uint16_t, std::pair<double, double>> by_gpu;  // weighted sum, weight
  void add(std::uint16_t gpu, double value, double weight) {
    by_gpu[gpu].first += value * weight;
    by_gpu[gpu].second += weight;
  }
  double mean() const {
    double sum = 0;
    for (const auto& [gpu, entry] : by_gpu) sum += entry.first / entry.second;
    return sum / double(by_gpu.size());
  }
};

}  // namespace

std::vector<float> class_offsets(const FamilyModel& model, std::uint16_t left_out_gpu) {
  std::map<ClassKey, GpuMeans> classes;
  std::map<std::uint16_t, GpuMeans> kinds;
  GpuMeans all;
  for (const CellRecord& cell : model.cells) {
    if (cell.gpu == CellRecord::kAnyGpu || cell.gpu == left_out_gpu) continue;
    classes[class_of(model, cell)].add(cell.gpu, double(cell.offset), double(cell.rows));
    if (cell.launch_bound) continue;
    kinds[cell.kind].add(cell.gpu, double(cell.offset), double(cell.rows));
    all.add(cell.gpu, double(cell.offset), double(cell.rows));
  }
  std::vector<float> offsets;
  for (const CellRecord& cell : model.cells) {
    if (cell.gpu == CellRecord::kAnyGpu) break;
    if (const auto c = classes.find(class_of(model, cell)); c != classes.end())
      offsets.push_back(float(c->second.mean()));
    else if (const auto k = kinds.find(cell.kind); k != kinds.end())
      offsets.push_back(float(k->second.mean()));
    else
      offsets.push_back(all.by_gpu.empty() ? 0.0F : float(all.mean()));
  }
  return offsets;
}

void add_class_cells(FamilyModel& model) {
  const std::vector<float> offsets = class_offsets(model, CellRecord::kAnyGpu);
  std::map<ClassKey, CellRecord> classes;
  std::map<ClassKey, std::string> versions;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const CellRecord& cell = model.cells[i];
    const ClassKey key = class_of(model, cell);
    auto [at, fresh] = classes.try_emplace(key, cell);
    const std::string& version = model.contexts[cell.context].version;
    // The class shows the newest version of its cells and counts all their rows.
    if (!fresh) {
      at->second.rows += cell.rows;
      at->second.launch_bound = at->second.launch_bound && cell.launch_bound;
      if (compare_versions(version, model.contexts[at->second.context].version) > 0)
        at->second.context = cell.context;
    }
    at->second.gpu = CellRecord::kAnyGpu;
    at->second.offset = offsets[i];
  }
  for (const auto& [key, cell] : classes) model.cells.push_back(cell);
}

void fill_row(const TrainingTable& table, std::size_t r, const ContextCodes& codes, float offset,
              FeatureRow& row) {
  row.count = 0;
  for (const float value : table.row(r)) row.add(double(value));
  row.add(double(codes.framework));
  row.add(double(codes.kernel));
  row.add(double(offset));
  TreeEnsemble::set_guard(row);
}

LearningSet make_learning_set(const TrainingTable& table, std::span<const std::uint32_t> rows,
                              const std::vector<ContextCodes>& codes, const FamilyModel& model,
                              std::span<const float> offsets) {
  LearningSet set;
  set.rows.reserve(rows.size() * (table.columns + kContextFeatures));
  set.targets.reserve(rows.size());
  for (const std::uint32_t r : rows) {
    const std::uint32_t cell = table.cell[r];
    const ContextCodes& code = codes[model.cells[cell].context];
    const std::span<const float> features = table.row(r);
    set.rows.insert(set.rows.end(), features.begin(), features.end());
    set.rows.insert(set.rows.end(), {code.framework, code.kernel, offsets[cell]});
    set.targets.push_back(table.target[r] - offsets[cell]);
  }
  return set;
}

}  // namespace warploom
