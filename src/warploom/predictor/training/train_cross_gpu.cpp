#include "warploom/predictor/training/train_cross_gpu.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "warploom/predictor/training/fit_base.h"
#include "warploom/predictor/training/interval_fit.h"

namespace warploom {
namespace {

constexpr std::size_t kCrossRows = 400000;  // drawn for the cross ensemble
constexpr std::size_t kLeaveOutTestRows = 4000;
constexpr std::array<double, 6> kShrinkages{0.0, 0.25, 0.5, 0.65, 0.8, 1.0};
// A handful of architectures cannot tell shares apart well: the least share whose error is within this of the
// best is taken.
constexpr double kAsGood = 0.01;

BoostingOptions cross_settings(Family family, std::uint64_t seed, bool small) {
  BoostingOptions o;
  o.seed = seed;
  o.trees = small ? 80 : 152;
  o.leaves = small ? 64 : 256;
  o.depth = 10;
  o.eta = 0.1;
  o.lambda = 5;
  o.min_rows = 30;
  o.row_share = 0.7;
  o.column_share = 0.5;
  // Bad cached tactics make some rows of experts up to nine times slower.
  if (family == Family::Moe) o.bound = 2.5;

  return o;
}

// Mean over GPUs of the mean error at a shrinkage.
double error_at(double shrink, const std::vector<LeftOutArchitecture>& outs, std::size_t gpus) {
  std::vector<double> sums(gpus, 0), counts(gpus, 0);
  for (const LeftOutArchitecture& out : outs)
    for (std::size_t i = 0; i < out.target.size(); ++i) {
      sums[out.gpu[i]] += std::abs(out.target[i] - shrink * out.trees[i]);
      ++counts[out.gpu[i]];
    }
  double sum = 0;
  for (std::size_t g = 0; g < gpus; ++g)
    if (counts[g] > 0) sum += sums[g] / counts[g];
  return sum;
}

// Where overheads were fitted, trees learn what varies within a cell: the level of a GPU that no overhead
// explains is its own and would mislead them about others.
std::vector<float> tree_offsets(const FamilyJob& job, const TrainingTable& learn,
                                std::span<const float> classes) {
  if (job.model.family != Family::Gemm) return {classes.begin(), classes.end()};
  return cell_offsets(learn, job.measured_cells).offset;
}

}  // namespace

std::vector<std::uint32_t> cross_rows(const FamilyJob& job) {
  std::vector<bool> full;
  for (const GpuRecord& gpu : job.model.gpus) full.push_back(!gpu.adapted);
  return thin(job.rows_on(Part::Learn, full), job.rows, kCrossRows, job.options.seed + 5);
}

EnsembleRecord train_cross(const FamilyJob& job, const TrainingTable& learn, std::span<const float> classes) {
  EnsembleRecord record = with_ranges(learn, CellRecord::kAnyGpu);
  record.trees = learn_trees(job, learn, {}, tree_offsets(job, learn, classes),
                             cross_settings(job.model.family, job.options.seed, learn.rows() < 5000));
  return record;
}

LeftOutArchitecture leave_out(const FamilyJob& job, std::int32_t architecture) {
  LeftOutArchitecture out;
  std::vector<bool> others;
  for (const GpuRecord& gpu : job.model.gpus) {
    out.gpus.push_back(!gpu.adapted && gpu.architecture == architecture);
    others.push_back(!gpu.adapted && gpu.architecture != architecture);
  }
  const std::uint64_t seed = job.options.seed;
  const auto chosen =
      thin_by_gpu(job.rows_on(Part::Learn, others), job, job.options.leave_out_rows_per_gpu, seed + 17);
  if (chosen.size() < kFewestRowsForTrees) return out;
  const FittedBase base = fit_base(job, others);
  const TrainingTable learn = job.table(chosen, base);
  const std::vector<float> offsets =
      class_offsets(job.model, cell_offsets(learn, job.measured_cells), others);
  const TreeEnsemble trees(learn_trees(job, learn, {}, tree_offsets(job, learn, offsets),
                                       cross_settings(job.model.family, seed, true)),
                           "training");
  std::set<unsigned> sources;  // as LoadedFamily::cross_knows would
  const auto source_of = [&](std::uint32_t number) {
    const CellRecord& cell = job.model.cells[number];
    const ContextRecord& at = job.model.contexts[cell.context];
    return source_code(job.model.family, ContextKernel(KernelContext{at.framework, at.version, at.kernel}),
                       job.catalog.get(job.model.gpus[cell.gpu].name));
  };
  for (const std::uint32_t cell : learn.cell) sources.insert(source_of(cell));
  const auto judged = thin_by_gpu(job.rows_on(Part::Calibrate, out.gpus), job, kLeaveOutTestRows, seed + 23);
  const TrainingTable test = job.table(judged, base);
  for (std::size_t r = 0; r < test.rows(); ++r) {
    const CellRecord& cell = job.model.cells[test.cell[r]];
    if (cell.launch_bound) continue;
    out.gpu.push_back(cell.gpu);
    out.target.push_back(double(test.target[r] - offsets[test.cell[r]]));
    out.trees.push_back(sources.contains(source_of(test.cell[r])) ? tree_answer(job, trees, test, r, offsets)
                                                                  : 0.0);
    out.log_base.push_back(double(test.log_base[r]));
  }
  return out;
}

CrossFit fit_cross(const FamilyModel& model, const std::vector<LeftOutArchitecture>& outs) {
  CrossFit fit{.shrink = model.shrink_unknown, .interval = {}, .left_out = {}};
  fit.interval.low.fill(-0.5F);
  fit.interval.high.fill(0.5F);
  std::array<double, kShrinkages.size()> errors_at;
  for (std::size_t i = 0; i < kShrinkages.size(); ++i)
    errors_at[i] = error_at(kShrinkages[i], outs, model.gpus.size());
  const double good = (1 + kAsGood) * *std::min_element(errors_at.begin(), errors_at.end());
  const auto least =
      std::find_if(errors_at.begin(), errors_at.end(), [&](double error) { return error <= good; });
  if (least != errors_at.end()) fit.shrink = float(kShrinkages[std::size_t(least - errors_at.begin())]);
  BucketResiduals residuals;
  std::vector<std::vector<double>> errors(model.gpus.size());
  for (const LeftOutArchitecture& out : outs)
    for (std::size_t i = 0; i < out.target.size(); ++i) {
      const double residual = out.target[i] - double(fit.shrink) * out.trees[i];
      residuals.add(out.log_base[i], residual);
      errors[out.gpu[i]].push_back(std::abs(std::expm1(-residual)));
    }
  fit.interval = fit_interval(residuals, fit.interval);
  for (std::size_t g = 0; g < errors.size(); ++g)
    if (!errors[g].empty()) fit.left_out[model.gpus[g].name] = figures_of(std::move(errors[g]), 0);
  return fit;
}

}  // namespace warploom
