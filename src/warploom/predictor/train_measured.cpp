#include "warploom/predictor/train_measured.h"

#include <algorithm>
#include <cmath>

#include "warploom/predictor/interval_fit.h"

namespace warploom {
namespace {

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

void fit_intervals(FamilyJob& job, const std::vector<TreeEnsemble>& by_gpu, std::span<const float> offsets) {
  const TrainingTable table = job.table(job.rows_of(Part::Calibrate, -1, -1), job.model.constants);
  std::vector<BucketResiduals> of_gpu(job.model.gpus.size()), of_cell(job.measured_cells);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::uint32_t cell = table.cell[r];
    const std::uint16_t gpu = job.model.cells[cell].gpu;
    const double residual =
        double(table.target[r] - offsets[cell]) - tree_answer(job, by_gpu[gpu], table, r, offsets);
    of_gpu[gpu].add(double(table.log_base[r]), residual);
    of_cell[cell].add(double(table.log_base[r]), residual);
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
    const TrainingTable table = job.table(job.rows_of(Part::HoldOut, int(g), -1), job.model.constants);
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const std::uint32_t c = table.cell[r];
      const double residual =
          double(table.target[r] - offsets[c]) - tree_answer(job, by_gpu[g], table, r, offsets);
      const LogInterval& interval = job.model.cells[c].interval;
      const std::size_t b = bucket_of(double(table.log_base[r]));
      inside += std::size_t(residual >= double(interval.low[b]) && residual <= double(interval.high[b]));
      errors.push_back(std::abs(std::expm1(-residual)));
    }
    all.insert(all.end(), errors.begin(), errors.end());
    all_inside += inside;
    job.report.held_out_by_gpu[job.model.gpus[g].name] = figures_of(std::move(errors), inside);
  }
  job.report.held_out = figures_of(std::move(all), all_inside);
}

}  // namespace

EnsembleRecord train_gpu(const FamilyJob& job, const TrainingTable& learn, std::uint16_t gpu,
                         std::span<const float> offsets) {
  EnsembleRecord record = with_ranges(learn, gpu);
  if (learn.rows() > 0)
    record.trees =
        learn_trees(job, learn, {}, offsets, settings_of(job.model.family, learn.rows(), job.options.seed));
  return record;
}

void finish_measured(FamilyJob& job, const std::vector<TreeEnsemble>& by_gpu,
                     std::span<const float> offsets) {
  fit_intervals(job, by_gpu, offsets);
  report_held_out(job, by_gpu, offsets);
}

}  // namespace warploom
