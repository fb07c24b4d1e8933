#include "warploom/baselines/train_baseline.h"

#include "warploom/baselines/habitat.h"
#include "warploom/baselines/interpolation.h"
#include "warploom/baselines/kernelsight/train_kernelsight.h"
#include "warploom/baselines/linear.h"
#include "warploom/baselines/neusight.h"
#include "warploom/baselines/pipeweave/train_pipeweave.h"
#include "warploom/kernels/roofline.h"

namespace warploom {
namespace {

baselines::PipeWeaveOptions pipeweave_options(const BaselineTraining& training) {
  baselines::PipeWeaveOptions options;
  options.rows_per_gpu = training.rows_per_gpu;
  if (training.epochs > 0) options.epochs = training.epochs;
  options.threads = training.threads;
  options.progress = training.progress;
  return options;
}

}  // namespace

std::unique_ptr<const LatencyModel> train_baseline(BaselineKind kind, const BaselineRows& rows,
                                                   const GpuCatalog& catalog,
                                                   const BaselineTraining& training) {
  switch (kind) {
    case BaselineKind::Linear:
      return std::make_unique<baselines::LinearModel>(rows, catalog);
    case BaselineKind::Habitat:
      return std::make_unique<baselines::HabitatModel>(rows, catalog);
    case BaselineKind::NeuSight:
      return std::make_unique<baselines::NeuSightModel>(rows, catalog);
    case BaselineKind::Interpolation:
      return std::make_unique<baselines::InterpolationModel>(rows, catalog);
    case BaselineKind::PipeWeave:
      return std::make_unique<baselines::PipeWeaveModel>(
          baselines::train_pipeweave(rows, catalog, pipeweave_options(training)));
    case BaselineKind::KernelSight:
      return std::make_unique<baselines::KernelSightModel>(baselines::train_kernelsight(
          rows, catalog, {.threads = training.threads, .progress = training.progress}));
    default:
      return std::make_unique<RooflineModel>();
  }
}

}  // namespace warploom
