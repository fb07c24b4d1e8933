#include "warploom/predictor/training/train_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/parallel.h"
#include "warploom/predictor/training/family_job.h"
#include "warploom/predictor/training/fit_base.h"
#include "warploom/predictor/training/share_versions.h"
#include "warploom/predictor/training/train_adapted.h"
#include "warploom/predictor/training/train_cross_gpu.h"
#include "warploom/predictor/training/train_measured.h"
#include "warploom/predictor/training/train_new_layers.h"
#include "warploom/predictor/training/train_siblings.h"

namespace warploom {
namespace {

std::vector<std::int32_t> architectures_of(const FamilyModel& model) {
  std::set<std::int32_t> distinct;
  for (const GpuRecord& gpu : model.gpus)
    if (!gpu.adapted) distinct.insert(gpu.architecture);
  return {distinct.begin(), distinct.end()};
}

bool gets_own_trees(const FamilyJob& job, std::size_t gpu) {
  if (job.model.gpus[gpu].adapted) return false;
  const auto& chosen = job.options.measured_gpus;
  return !chosen || std::find(chosen->begin(), chosen->end(), job.model.gpus[gpu].name) != chosen->end();
}

void train_family(FamilyJob& job) {
  const std::size_t gpus = job.model.gpus.size();
  std::vector<bool> full;
  for (const GpuRecord& gpu : job.model.gpus) full.push_back(!gpu.adapted);
  FittedBase base = fit_base(job, full);
  job.model.constants = base.constants;
  for (std::size_t c = 0; c < job.measured_cells; ++c) job.model.cells[c].overhead = base.overheads[c];
  refit_constants(job);
  base.constants = job.model.constants;
  std::vector<TrainingTable> tables;  // Learn rows of each GPU
  for (std::size_t g = 0; g < gpus; ++g) tables.push_back(job.table(job.rows_of(Part::Learn, int(g)), base));
  CellOffsets own{std::vector<float>(job.measured_cells, 0),
                  std::vector<std::uint32_t>(job.measured_cells, 0)};
  for (const TrainingTable& table : tables) {
    const CellOffsets of_gpu = cell_offsets(table, job.measured_cells);
    for (std::size_t c = 0; c < job.measured_cells; ++c)
      if (of_gpu.rows[c] > 0) {
        own.offset[c] = of_gpu.offset[c];
        own.rows[c] = of_gpu.rows[c];
      }
  }
  job.leader.resize(job.measured_cells);
  std::iota(job.leader.begin(), job.leader.end(), 0U);
  for (std::size_t g = 0; g < gpus; ++g)
    if (gets_own_trees(job, g)) share_versions(job, tables[g], own);
  for (std::size_t c = 0; c < job.measured_cells; ++c) job.model.cells[c].offset = own.offset[c];
  const std::vector<float> classes = class_offsets(job.model, own, full);
  list_layers(job, tables);
  std::vector<EnsembleRecord> ensembles(gpus + 1);
  for (std::size_t g = 0; g < gpus; ++g) ensembles[g].gpu = std::uint16_t(g);
  const std::vector<std::int32_t> architectures = architectures_of(job.model);
  std::vector<LeftOutArchitecture> outs(architectures.size());
  // The largest tasks first; order of results is fixed by position.
  parallel_for(1 + gpus + architectures.size(), std::size_t(job.options.threads), [&](std::size_t task) {
    if (task == 0)
      ensembles[gpus] = train_cross(job, job.table(cross_rows(job), base), classes);
    else if (task <= gpus && gets_own_trees(job, task - 1)) {
      const auto gpu = std::uint16_t(task - 1);
      ensembles[gpu] = train_gpu(job, tables[gpu], gpu, own.offset);
      train_new_layers(job, tables[gpu], gpu, ensembles[gpu]);
    } else if (task > gpus && architectures.size() > 1 && job.options.leave_out_rows_per_gpu > 0)
      outs[task - gpus - 1] = leave_out(job, architectures[task - gpus - 1]);
  });
  tables.clear();
  fit_cross(job, outs);
  job.model.ensembles = std::move(ensembles);
  finish_measured(job);
  add_class_cells(job.model, own, full);
  fit_siblings(job);
  train_adapted(job);
}

std::uint64_t hash_rows(const Dataset& dataset, Family family) {
  std::uint64_t hash = 0;
  for (const std::uint32_t r : dataset.rows_of(family)) {
    const double latency = dataset.latency(r).value();
    hash = hash_combine(hash_combine(hash, dataset.shape(r)),
                        hash_bytes({reinterpret_cast<const char*>(&latency), sizeof latency}));
  }
  return hash;
}

std::string summary_line(const FamilyTraining& t) {
  return fmt::format(
      "{}: learned {} rows in {:.0f} s; {} held-out rows: mean {:.2f} %, median {:.2f} %, p90 {:.1f} %, "
      "coverage {:.1f} %",
      name_of(t.family), t.rows_learned, t.seconds, t.held_out.rows, 100 * t.held_out.mean,
      100 * t.held_out.median, 100 * t.held_out.p90, 100 * t.held_out.coverage);
}

}  // namespace

TrainingResult train_predictor(const Dataset& dataset, const GpuCatalog& catalog,
                               const TrainingOptions& options) {
  TrainingResult result;
  std::set<Family> present;
  for (std::size_t r = 0; r < dataset.size(); ++r) present.insert(dataset.family(r));
  std::vector<Family> families = options.families;
  if (families.empty()) families.assign(present.begin(), present.end());
  for (const Family family : families) {
    const auto start = std::chrono::steady_clock::now();
    FamilyJob job{dataset, catalog, options, {}, {}, {}, {}, 0};
    job.model.family = job.report.family = family;
    job.model.created_by = options.created_by;
    job.model.seed = options.seed;
    job.model.test_fraction = options.split.test_fraction;
    job.model.split_seed = options.split.seed;
    job.rows = choose_rows(dataset, catalog, family, options, job.model);
    if (job.rows_of(Part::Learn, -1).size() < kFewestRowsForTrees) {
      if (!options.families.empty())
        throw InvalidInput(fmt::format("training {}: {} usable rows, expected at least {}", name_of(family),
                                       job.rows.size(), kFewestRowsForTrees));
      continue;
    }
    job.model.data_hash = hash_rows(dataset, family);
    job.codes = context_codes(job.model.contexts);
    job.measured_cells = job.model.cells.size();
    job.report.rows_learned = job.rows_of(Part::Learn, -1).size();
    train_family(job);
    job.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.progress) options.progress(summary_line(job.report));
    result.models.push_back(std::move(job.model));
    result.report.push_back(std::move(job.report));
  }
  return result;
}

}  // namespace warploom
