#include "warploom/predictor/training/train_siblings.h"

#include <cmath>

#include "warploom/predictor/answer/cross_estimate.h"
#include "warploom/predictor/answer/log_estimate.h"
#include "warploom/predictor/training/interval_fit.h"

namespace warploom {
namespace {

constexpr std::size_t kRowsPerGpu = 3000;

}  // namespace

LogInterval fit_siblings(const FamilyJob& job) {
  LogInterval wide;
  wide.low.fill(-0.2F);
  wide.high.fill(0.2F);
  const LoadedFamily family(job.model, job.catalog);
  BucketResiduals residuals;
  OperatorFeatures row;
  for (const std::uint32_t r :
       thin_by_gpu(job.rows_of(Part::Calibrate, -1), job, kRowsPerGpu, job.options.seed + 31)) {
    const CellRecord& cell = job.model.cells[job.rows.cell[r]];
    const ContextRecord& context = job.model.contexts[cell.context];
    const GpuSpec& gpu = *family.specs[cell.gpu];
    const std::uint32_t source = job.rows.source[r];
    const Operator& op = job.dataset.op(source);
    compute_features(op, gpu, family.kernel(cell), family.constants(gpu), row);
    const KernelContext names{context.framework, context.version, context.kernel};
    const LogEstimate predicted =
        cross_estimate(family, {op, gpu, names, cell.kind, family.kernel(cell)}, row, cell.gpu);
    if (predicted.from_siblings && !cell.launch_bound)
      residuals.add(row.log_base, std::log(job.dataset.latency(source).value()) - predicted.log_p50);
  }
  return fit_interval(residuals, wide);
}

}  // namespace warploom
