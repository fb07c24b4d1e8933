#include "warploom/predictor/train_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/statistics.h"
#include "warploom/predictor/interval_fit.h"
#include "warploom/predictor/training_table.h"
#include "warploom/predictor/tree_ensemble.h"

namespace warploom {
namespace {

constexpr std::uint32_t kFewestRowsForTrees = 60;
constexpr std::size_t kCrossRows = 400000;    // drawn for the cross ensemble
constexpr std::size_t kLeaveOutRows = 60000;  // for each ensemble that leaves a GPU out
constexpr std::size_t kLeaveOutTestRows = 4000;
constexpr std::array<double, 6> kShrinkages{0.0, 0.25, 0.5, 0.65, 0.8, 1.0};

// Sizes were chosen on held-out shapes; MoE keeps gaining with size, the others do not.
BoostingOptions settings_of(Family family, std::size_t rows, std::uint64_t seed) {
  BoostingOptions o;
  o.seed = seed;
  switch (family) {
    case Family::Gemm:
      o.trees = 184;
      o.leaves = 512;
      break;
    case Family::Moe:
      o.trees = 208;
      o.leaves = 900;
      o.depth = 14;
      break;
    case Family::AttentionPrefill:
    case Family::AttentionDecode:
      o.trees = 160;
      o.leaves = 512;
      break;
    default:
      o.trees = 96;
      o.leaves = 128;
      break;
  }
  o.leaves = std::min(o.leaves, std::max(8, int(rows / 25)));
  return o;
}

BoostingOptions cross_settings(std::uint64_t seed, bool small) {
  BoostingOptions o;
  o.seed = seed;
  o.trees = small ? 80 : 160;
  o.leaves = small ? 64 : 256;
  o.depth = 10;
  o.eta = 0.1;
  o.lambda = 5;
  o.min_rows = 30;
  o.row_share = 0.7;
  o.column_share = 0.5;
  return o;
}

// Runs tasks 0..count-1 on some threads; the first exception is thrown on.
void run_tasks(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
  const unsigned wanted = threads > 0 ? unsigned(threads) : std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
      }
  };
  std::vector<std::thread> pool;
  for (unsigned t = 1; t < std::min<std::size_t>(wanted, count); ++t) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// An even draw by hash of shape and position, in row order.
std::vector<std::uint32_t> thin(std::vector<std::uint32_t> rows, const TrainingTable& table, std::size_t most,
                                std::uint64_t seed) {
  if (rows.size() <= most) return rows;
  const double share = double(most) / double(rows.size());
  const auto limit = std::uint64_t(share * double(std::numeric_limits<std::uint64_t>::max()));
  std::erase_if(rows,
                [&](std::uint32_t r) { return hash_combine(hash_combine(seed, table.shape[r]), r) > limit; });
  return rows;
}

struct FamilyJob {
  const TrainingOptions& options;
  FamilyModel model;
  TrainingTable table;
  FamilyTraining report;
  std::vector<ContextCodes> codes;
  std::size_t measured_cells = 0;

  std::vector<std::uint32_t> rows_where(Part part, int gpu, int without_gpu) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t r = 0; r < table.rows(); ++r) {
      const int g = model.cells[table.cell[r]].gpu;
      if (table.part[r] == part && (gpu < 0 || g == gpu) && g != without_gpu) rows.push_back(r);
    }
    return rows;
  }

  std::vector<float> own_offsets() const {
    std::vector<float> offsets;
    for (std::size_t c = 0; c < measured_cells; ++c) offsets.push_back(model.cells[c].offset);
    return offsets;
  }

  std::string learn(const std::vector<std::uint32_t>& rows, std::span<const float> offsets,
                    const BoostingOptions& boosting) const {
    const LearningSet set = make_learning_set(table, rows, codes, model, offsets);
    return encode_trees(boost_trees(set.rows, table.columns + kContextFeatures, set.targets, boosting));
  }

  // Residual trees' answer for a row.
  double answer(const TreeEnsemble& trees, std::uint32_t r, std::span<const float> offsets) const {
    FeatureRow row;
    const std::uint32_t cell = table.cell[r];
    fill_row(table, r, codes[model.cells[cell].context], offsets[cell], row);
    return double(trees.predict(row));
  }
};

EnsembleRecord with_ranges(const FamilyJob& job, const std::vector<std::uint32_t>& rows, std::uint16_t gpu) {
  EnsembleRecord record;
  record.gpu = gpu;
  record.low.assign(job.table.columns, std::numeric_limits<float>::max());
  record.high.assign(job.table.columns, std::numeric_limits<float>::lowest());
  for (const std::uint32_t r : rows) {
    const std::span<const float> row = job.table.row(r);
    for (std::size_t f = 0; f < row.size(); ++f) {
      record.low[f] = std::min(record.low[f], row[f]);
      record.high[f] = std::max(record.high[f], row[f]);
    }
  }
  for (std::size_t f = 0; f < job.table.columns; ++f) {
    const float slack = 0.02F * (record.high[f] - record.low[f]) + 1e-4F;
    record.low[f] -= slack;
    record.high[f] += slack;
  }
  // The GPU's own features are constants of a measured ensemble and say nothing about the operator.
  if (gpu == CellRecord::kAnyGpu)
    for (std::size_t f = job.table.columns - kGpuFeatures; f < job.table.columns; ++f) {
      record.low[f] = std::numeric_limits<float>::lowest();
      record.high[f] = std::numeric_limits<float>::max();
    }
  return record;
}

struct LeftOut {
  bool known_architecture = false;
  std::vector<double> target, trees,
      log_base;  // residual after the class offset, and what the trees say of it
};

LeftOut leave_out(const FamilyJob& job, int gpu) {
  LeftOut out;
  for (std::size_t g = 0; g < job.model.gpus.size(); ++g)
    if (int(g) != gpu && job.model.gpus[g].architecture == job.model.gpus[std::size_t(gpu)].architecture)
      out.known_architecture = true;
  const std::vector<float> offsets = class_offsets(job.model, std::uint16_t(gpu));
  const auto rows =
      thin(job.rows_where(Part::Learn, -1, gpu), job.table, kLeaveOutRows, job.options.seed + 17);
  if (rows.size() < kFewestRowsForTrees) return out;
  const TreeEnsemble trees(job.learn(rows, offsets, cross_settings(job.options.seed, true)), "training");
  for (const std::uint32_t r :
       thin(job.rows_where(Part::Calibrate, gpu, -1), job.table, kLeaveOutTestRows, job.options.seed + 23)) {
    if (job.model.cells[job.table.cell[r]].launch_bound) continue;
    out.target.push_back(double(job.table.target[r] - offsets[job.table.cell[r]]));
    out.trees.push_back(job.answer(trees, r, offsets));
    out.log_base.push_back(double(job.table.log_base[r]));
  }
  return out;
}

ErrorFigures figures(std::vector<double> errors, std::size_t inside) {
  ErrorFigures f;
  f.rows = errors.size();
  if (errors.empty()) return f;
  f.mean = mean(errors);
  f.coverage = double(inside) / double(errors.size());
  std::sort(errors.begin(), errors.end());
  f.median = quantile_of_sorted(errors, 0.5);
  f.p90 = quantile_of_sorted(errors, 0.9);
  return f;
}

// Shrinkage with least mean error, the interval at it, and the figures of each GPU.
void fit_cross(FamilyJob& job, const std::vector<LeftOut>& outs, bool known) {
  float& shrink = known ? job.model.shrink_known : job.model.shrink_unknown;
  LogInterval& interval = known ? job.model.interval_known : job.model.interval_unknown;
  double best = std::numeric_limits<double>::max();
  bool any = false;
  for (const double s : kShrinkages) {
    double sum = 0;
    for (const LeftOut& out : outs) {
      if (out.known_architecture != known || out.target.empty()) continue;
      any = true;
      double of_gpu = 0;
      for (std::size_t i = 0; i < out.target.size(); ++i)
        of_gpu += std::abs(out.target[i] - s * out.trees[i]);
      sum += of_gpu / double(out.target.size());
    }
    if (sum < best) {
      best = sum;
      shrink = float(s);
    }
  }
  if (!any) return;
  BucketResiduals residuals;
  for (std::size_t g = 0; g < outs.size(); ++g) {
    const LeftOut& out = outs[g];
    if (out.known_architecture != known || out.target.empty()) continue;
    std::vector<double> errors;
    for (std::size_t i = 0; i < out.target.size(); ++i) {
      const double residual = out.target[i] - double(shrink) * out.trees[i];
      residuals.add(out.log_base[i], residual);
      errors.push_back(std::abs(std::expm1(-residual)));
    }
    job.report.left_out[job.model.gpus[g].name] = figures(std::move(errors), 0);
  }
  interval = fit_interval(residuals, interval);
}

void fit_measured_intervals(FamilyJob& job, const std::vector<TreeEnsemble>& by_gpu,
                            std::span<const float> offsets) {
  std::vector<BucketResiduals> of_gpu(job.model.gpus.size()), of_cell(job.measured_cells);
  for (const std::uint32_t r : job.rows_where(Part::Calibrate, -1, -1)) {
    const std::uint32_t cell = job.table.cell[r];
    const std::uint16_t gpu = job.model.cells[cell].gpu;
    const double residual = double(job.table.target[r] - offsets[cell]) - job.answer(by_gpu[gpu], r, offsets);
    of_gpu[gpu].add(double(job.table.log_base[r]), residual);
    of_cell[cell].add(double(job.table.log_base[r]), residual);
  }
  LogInterval wide;
  wide.low.fill(-0.15F);
  wide.high.fill(0.15F);
  for (std::size_t c = 0; c < job.measured_cells; ++c) {
    CellRecord& cell = job.model.cells[c];
    cell.interval = fit_interval(of_cell[c], fit_interval(of_gpu[cell.gpu], wide));
  }
}

void report_held_out(FamilyJob& job, const std::vector<TreeEnsemble>& by_gpu,
                     std::span<const float> offsets) {
  std::vector<double> all;
  std::size_t all_inside = 0;
  for (std::size_t g = 0; g < job.model.gpus.size(); ++g) {
    std::vector<double> errors;
    std::size_t inside = 0;
    for (const std::uint32_t r : job.rows_where(Part::HoldOut, int(g), -1)) {
      const std::uint32_t c = job.table.cell[r];
      const double residual = double(job.table.target[r] - offsets[c]) - job.answer(by_gpu[g], r, offsets);
      const LogInterval& interval = job.model.cells[c].interval;
      const std::size_t b = bucket_of(double(job.table.log_base[r]));
      inside += std::size_t(residual >= double(interval.low[b]) && residual <= double(interval.high[b]));
      errors.push_back(std::abs(std::expm1(-residual)));
    }
    all.insert(all.end(), errors.begin(), errors.end());
    all_inside += inside;
    job.report.held_out_by_gpu[job.model.gpus[g].name] = figures(std::move(errors), inside);
  }
  job.report.held_out = figures(std::move(all), all_inside);
}

void train_family(FamilyJob& job) {
  const std::size_t gpus = job.model.gpus.size();
  const std::vector<float> offsets = job.own_offsets(),
                           classes = class_offsets(job.model, CellRecord::kAnyGpu);
  std::vector<EnsembleRecord> ensembles(gpus + 1);
  std::vector<LeftOut> outs(gpus);
  // The largest tasks first; order of results is fixed by position.
  run_tasks(2 * gpus + 1, job.options.threads, [&](std::size_t task) {
    if (task == 0) {
      const auto rows =
          thin(job.rows_where(Part::Learn, -1, -1), job.table, kCrossRows, job.options.seed + 5);
      ensembles[gpus] = with_ranges(job, rows, CellRecord::kAnyGpu);
      ensembles[gpus].trees = job.learn(rows, classes, cross_settings(job.options.seed, rows.size() < 5000));
    } else if (task <= gpus) {
      const std::size_t g = task - 1;
      const auto rows = job.rows_where(Part::Learn, int(g), -1);
      ensembles[g] = with_ranges(job, rows, std::uint16_t(g));
      ensembles[g].trees =
          job.learn(rows, offsets, settings_of(job.model.family, rows.size(), job.options.seed));
    } else if (gpus > 1) {
      outs[task - gpus - 1] = leave_out(job, int(task - gpus - 1));
    }
  });
  std::vector<TreeEnsemble> by_gpu;
  for (std::size_t g = 0; g < gpus; ++g) by_gpu.emplace_back(ensembles[g].trees, "training");
  fit_measured_intervals(job, by_gpu, offsets);
  report_held_out(job, by_gpu, offsets);
  job.model.interval_known.low.fill(-0.3F);
  job.model.interval_known.high.fill(0.3F);
  job.model.interval_unknown.low.fill(-0.5F);
  job.model.interval_unknown.high.fill(0.5F);
  fit_cross(job, outs, true);
  fit_cross(job, outs, false);
  job.model.ensembles = std::move(ensembles);
  add_class_cells(job.model);
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
    FamilyJob job{options, {}, {}, {}, {}, 0};
    job.model.family = job.report.family = family;
    job.model.created_by = options.created_by;
    job.model.seed = options.seed;
    job.model.test_fraction = options.split.test_fraction;
    job.model.split_seed = options.split.seed;
    job.table = make_training_table(dataset, catalog, family, options, job.model);
    if (job.rows_where(Part::Learn, -1, -1).size() < kFewestRowsForTrees) {
      if (!options.families.empty())
        throw InvalidInput(fmt::format("training {}: {} usable rows, expected at least {}", name_of(family),
                                       job.table.rows(), kFewestRowsForTrees));
      continue;
    }
    job.model.data_hash = hash_rows(dataset, family);
    job.codes = context_codes(job.model.contexts);
    job.measured_cells = job.model.cells.size();
    job.report.rows_learned = job.rows_where(Part::Learn, -1, -1).size();
    train_family(job);
    job.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.progress) options.progress(summary_line(job.report));
    result.models.push_back(std::move(job.model));
    result.report.push_back(std::move(job.report));
  }
  return result;
}

}  // namespace warploom
