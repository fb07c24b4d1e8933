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

// The constants of every GPU and the overheads of every cell.
FittedBase fit_bases(FamilyJob& job, const std::vector<bool>& full) {
  FittedBase base = fit_base(job, full);
  job.model.constants = base.constants;
  for (std::size_t c = 0; c < job.measured_cells; ++c) job.model.cells[c].overhead = base.overheads[c];
  for (ConstantsRecord& refitted : refit_constants(job)) job.model.constants.push_back(refitted);
  base.constants = job.model.constants;
  return base;
}

// Mean levels of the cells; of one that shares the trees of another version, what puts it beside that.
CellOffsets level_cells(FamilyJob& job, const std::vector<TrainingTable>& tables) {
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
  for (std::size_t g = 0; g < tables.size(); ++g) {
    if (!gets_own_trees(job, g)) continue;
    for (const SharedCell& shared : share_versions(job.model, tables[g])) {
      job.leader[shared.cell] = shared.leader;
      own.offset[shared.cell] = own.offset[shared.leader] + float(shared.above);
    }
  }
  return own;
}

// All that is learned with trees, side by side.
struct Grown {
  std::vector<EnsembleRecord> ensembles;  // of each GPU, then the one over all GPUs
  std::vector<NewLayers> layers;          // of each GPU
  std::vector<LeftOutArchitecture> outs;
};

Grown grow_trees(const FamilyJob& job, const std::vector<TrainingTable>& tables, const FittedBase& base,
                 const CellOffsets& own, const std::vector<float>& classes) {
  const std::size_t gpus = tables.size();
  const std::vector<std::int32_t> architectures = architectures_of(job.model);
  Grown grown{std::vector<EnsembleRecord>(gpus + 1), std::vector<NewLayers>(gpus),
              std::vector<LeftOutArchitecture>(architectures.size())};
  for (std::size_t g = 0; g < gpus; ++g) grown.ensembles[g].gpu = std::uint16_t(g);
  // The largest tasks first; order of results is fixed by position.
  parallel_for(1 + gpus + architectures.size(), std::size_t(job.options.threads), [&](std::size_t task) {
    if (task == 0)
      grown.ensembles[gpus] = train_cross(job, job.table(cross_rows(job), base), classes);
    else if (task <= gpus && gets_own_trees(job, task - 1)) {
      const auto gpu = std::uint16_t(task - 1);
      grown.ensembles[gpu] = train_gpu(job, tables[gpu], gpu, own.offset);
      grown.layers[gpu] = train_new_layers(job, tables[gpu], gpu);
      grown.ensembles[gpu].layer_trees = grown.layers[gpu].trees;
    } else if (task > gpus && architectures.size() > 1 && job.options.leave_out_rows_per_gpu > 0)
      grown.outs[task - gpus - 1] = leave_out(job, architectures[task - gpus - 1]);
  });
  return grown;
}

void set_new_layers(FamilyModel& model, const std::vector<NewLayers>& layers) {
  for (std::size_t g = 0; g < layers.size(); ++g)
    for (std::size_t c = 0; c < layers[g].intervals.size(); ++c)
      if (model.cells[c].gpu == g) model.cells[c].interval_new_layer = layers[g].intervals[c];
}

// A kernel that no GPU of a known architecture runs is as hard as one of an unknown architecture.
void set_cross(FamilyJob& job, CrossFit fit) {
  job.model.shrink_known = job.model.shrink_unknown = fit.shrink;
  job.model.interval_known = job.model.interval_unknown = fit.interval;
  job.report.left_out = std::move(fit.left_out);
}

void set_measured(FamilyJob& job, MeasuredFit fit) {
  for (std::size_t c = 0; c < job.measured_cells; ++c) job.model.cells[c].interval = fit.intervals[c];
  job.report.held_out = fit.held_out;
  job.report.held_out_by_gpu = std::move(fit.held_out_by_gpu);
}

void set_adapted(FamilyModel& model, std::vector<Adaptation> adaptations) {
  for (Adaptation& adaptation : adaptations) {
    model.gpus[adaptation.gpu].level = adaptation.level;
    model.gpus[adaptation.gpu].share = adaptation.share;
    for (const std::uint32_t cell : adaptation.cells) {
      model.cells[cell].offset = 0;
      model.cells[cell].interval = adaptation.interval;
    }
    model.ensembles[adaptation.gpu].trees = std::move(adaptation.trees);
  }
}

// Stage after stage: each sees the model as the stages before left it and returns what it found; here alone
// that is put into the model.
void train_family(FamilyJob& job) {
  FamilyModel& model = job.model;
  std::vector<bool> full;
  for (const GpuRecord& gpu : model.gpus) full.push_back(!gpu.adapted);
  const FittedBase base = fit_bases(job, full);
  std::vector<TrainingTable> tables;  // Learn rows of each GPU
  for (std::size_t g = 0; g < model.gpus.size(); ++g)
    tables.push_back(job.table(job.rows_of(Part::Learn, int(g)), base));
  const CellOffsets own = level_cells(job, tables);
  const std::vector<std::vector<std::uint32_t>> layers = list_layers(job, tables);
  for (std::size_t c = 0; c < job.measured_cells; ++c) {
    model.cells[c].offset = own.offset[c];
    model.cells[c].layers = layers[c];
  }
  Grown grown = grow_trees(job, tables, base, own, class_offsets(model, own, full));
  tables.clear();
  set_new_layers(model, grown.layers);
  set_cross(job, fit_cross(model, grown.outs));
  model.ensembles = std::move(grown.ensembles);
  set_measured(job, judge_measured(job));
  for (const CellRecord& of_class : class_cells(model, own, full)) model.cells.push_back(of_class);
  model.interval_sibling = fit_siblings(job);
  set_adapted(model, train_adapted(job));
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
    job.codes = context_codes(job.model);
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
