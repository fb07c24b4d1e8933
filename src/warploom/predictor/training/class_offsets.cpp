#include "warploom/predictor/training/class_offsets.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "warploom/base/version.h"
#include "warploom/predictor/model/family_model.h"

namespace warploom {
namespace {

using ClassKey = std::tuple<std::string, std::string, std::uint16_t>;

ClassKey class_of(const FamilyModel& model, const CellRecord& cell) {
  const ContextRecord& context = model.contexts[cell.context];
  return {context.framework, context.kernel, cell.kind};
}

// Running mean over GPUs (or architectures) of the means of each.
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

constexpr double kScatter = 0.15;       // of a class's level between architectures, beside what they show
constexpr double kScatterOfOne = 0.35;  // the same where the data hold one architecture in all

// The level of a class of products, beyond its overheads, carries over only as far as architectures agree on
// it, so not at all where one alone of several runs it: with plain means, generations that were left out came
// out worse. Positive-part James-Stein towards 0. Levels of attention's classes do not carry over even so.
std::vector<float> agreed_offsets(const FamilyModel& model, const CellOffsets& cells,
                                  const std::vector<bool>& of_gpus) {
  std::map<ClassKey, GpuMeans> classes;  // means by architecture
  std::set<std::int32_t> architectures;
  for (std::size_t g = 0; g < model.gpus.size(); ++g)
    if (of_gpus[g]) architectures.insert(model.gpus[g].architecture);
  const double fewest = architectures.size() > 1 ? 2 : 1;
  for (std::size_t c = 0; c < cells.offset.size(); ++c) {
    const CellRecord& cell = model.cells[c];
    if (of_gpus[cell.gpu] && cells.rows[c] > 0 && !cell.launch_bound)
      classes[class_of(model, cell)].add(std::uint16_t(model.gpus[cell.gpu].architecture),
                                         double(cells.offset[c]), double(cells.rows[c]));
  }
  std::vector<float> offsets;
  for (std::size_t c = 0; c < cells.offset.size(); ++c) {
    const auto at = classes.find(class_of(model, model.cells[c]));
    const double n = at == classes.end() ? 0 : double(at->second.by_gpu.size());
    if (n < fewest) {
      offsets.push_back(0);
      continue;
    }
    const double mean = at->second.mean();
    double scatter = n < 2 ? kScatterOfOne * kScatterOfOne : kScatter * kScatter;
    for (const auto& [architecture, entry] : at->second.by_gpu)
      scatter +=
          (entry.first / entry.second - mean) * (entry.first / entry.second - mean) / std::max(1.0, n - 1);
    offsets.push_back(float(mean * std::max(0.0, 1 - scatter / n / std::max(mean * mean, 1e-12))));
  }
  return offsets;
}

}  // namespace

bool base_sets_the_level(Family family) {
  return family == Family::Gemm || family == Family::AttentionPrefill || family == Family::AttentionDecode ||
         family == Family::Moe;
}

std::vector<float> class_offsets(const FamilyModel& model, const CellOffsets& cells,
                                 const std::vector<bool>& of_gpus) {
  if (model.family == Family::Gemm) return agreed_offsets(model, cells, of_gpus);
  if (base_sets_the_level(model.family)) return std::vector<float>(cells.offset.size(), 0.0F);
  std::map<ClassKey, GpuMeans> classes;
  std::map<std::uint16_t, GpuMeans> kinds;
  GpuMeans all;
  for (std::size_t c = 0; c < cells.offset.size(); ++c) {
    const CellRecord& cell = model.cells[c];
    const double offset = double(cells.offset[c]), rows = double(cells.rows[c]);
    if (!of_gpus[cell.gpu] || rows <= 0) continue;
    classes[class_of(model, cell)].add(cell.gpu, offset, rows);
    if (cell.launch_bound) continue;
    kinds[cell.kind].add(cell.gpu, offset, rows);
    all.add(cell.gpu, offset, rows);
  }
  std::vector<float> offsets;
  for (std::size_t i = 0; i < cells.offset.size(); ++i) {
    const CellRecord& cell = model.cells[i];
    if (const auto c = classes.find(class_of(model, cell)); c != classes.end())
      offsets.push_back(float(c->second.mean()));
    else if (const auto k = kinds.find(cell.kind); k != kinds.end())
      offsets.push_back(float(k->second.mean()));
    else
      offsets.push_back(all.by_gpu.empty() ? 0.0F : float(all.mean()));
  }
  return offsets;
}

std::vector<CellRecord> class_cells(const FamilyModel& model, const CellOffsets& cells,
                                    const std::vector<bool>& of_gpus) {
  const std::vector<float> offsets = class_offsets(model, cells, of_gpus);
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
  std::vector<CellRecord> records;
  for (const auto& [key, cell] : classes) records.push_back(cell);
  return records;
}

CellOffsets cell_offsets(const TrainingTable& table, std::size_t cells) {
  std::vector<double> sums(cells, 0);
  CellOffsets offsets{std::vector<float>(cells, 0), std::vector<std::uint32_t>(cells, 0)};
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (table.part[r] == Part::Learn) {
      sums[table.cell[r]] += double(table.target[r]);
      ++offsets.rows[table.cell[r]];
    }
  for (std::size_t c = 0; c < cells; ++c)
    if (offsets.rows[c] > 0) offsets.offset[c] = float(sums[c] / double(offsets.rows[c]));
  return offsets;
}

}  // namespace warploom
