#include "warploom/predictor/train_cross_gpu.h"

#include <algorithm>
#include <cmath>

#include "warploom/predictor/fit_base.h"
#include "warploom/predictor/interval_fit.h"

namespace warploom {
namespace {

constexpr std::size_t kCrossRows = 400000;         // drawn for the cross ensemble
constexpr std::size_t kLeaveOutRowsPerGpu = 8000;  // for each ensemble that leaves a GPU out
constexpr std::size_t kLeaveOutTestRows = 4000;
constexpr std::array<double, 6> kShrinkages{0.0, 0.25, 0.5, 0.65, 0.8, 1.0};

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

// Shrinkage with least mean error, the interval at it, and the figures of each GPU.
void fit_cross_tier(FamilyJob& job, const std::vector<LeftOut>& outs, bool known) {
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
    job.report.left_out[job.model.gpus[g].name] = figures_of(std::move(errors), 0);
  }
  interval = fit_interval(residuals, interval);
}

}  // namespace

std::vector<std::uint32_t> cross_rows(const FamilyJob& job) {
  return thin(job.rows_of(Part::Learn, -1, -1), job.rows, kCrossRows, job.options.seed + 5);
}

EnsembleRecord train_cross(const FamilyJob& job, const TrainingTable& learn, std::span<const float> classes) {
  EnsembleRecord record = with_ranges(learn, CellRecord::kAnyGpu);
  record.trees = learn_trees(job, learn, {}, classes, cross_settings(job.options.seed, learn.rows() < 5000));
  return record;
}

LeftOut leave_out(const FamilyJob& job, int gpu) {
  LeftOut out;
  for (std::size_t g = 0; g < job.model.gpus.size(); ++g)
    if (int(g) != gpu && job.model.gpus[g].architecture == job.model.gpus[std::size_t(gpu)].architecture)
      out.known_architecture = true;
  const std::uint64_t seed = job.options.seed;
  const auto chosen = thin_by_gpu(job.rows_of(Part::Learn, -1, gpu), job, kLeaveOutRowsPerGpu, seed + 17);
  if (chosen.size() < kFewestRowsForTrees) return out;
  const std::vector<ConstantsRecord> constants = fit_base(job, gpu);
  const TrainingTable learn = job.table(chosen, constants);
  const std::vector<float> offsets =
      class_offsets(job.model, cell_offsets(learn, job.measured_cells), std::uint16_t(gpu));
  const TreeEnsemble trees(learn_trees(job, learn, {}, offsets, cross_settings(seed, true)), "training");
  const TrainingTable test = job.table(
      thin(job.rows_of(Part::Calibrate, gpu, -1), job.rows, kLeaveOutTestRows, seed + 23), constants);
  for (std::size_t r = 0; r < test.rows(); ++r) {
    if (job.model.cells[test.cell[r]].launch_bound) continue;
    out.target.push_back(double(test.target[r] - offsets[test.cell[r]]));
    out.trees.push_back(tree_answer(job, trees, test, r, offsets));
    out.log_base.push_back(double(test.log_base[r]));
  }
  return out;
}

void fit_cross(FamilyJob& job, const std::vector<LeftOut>& outs) {
  job.model.interval_known.low.fill(-0.3F);
  job.model.interval_known.high.fill(0.3F);
  job.model.interval_unknown.low.fill(-0.5F);
  job.model.interval_unknown.high.fill(0.5F);
  fit_cross_tier(job, outs, true);
  fit_cross_tier(job, outs, false);
}

}  // namespace warploom
