#include "warploom/baselines/train_baseline.h"

#include "warploom/baselines/habitat.h"
#include "warploom/baselines/interpolation.h"
#include "warploom/baselines/linear.h"
#include "warploom/baselines/neusight.h"
#include "warploom/kernels/roofline.h"

namespace warploom {

std::unique_ptr<const LatencyModel> train_baseline(BaselineKind kind, const BaselineRows& rows,
                                                   const GpuCatalog& catalog) {
  switch (kind) {
    case BaselineKind::Linear:
      return std::make_unique<baselines::LinearModel>(rows, catalog);
    case BaselineKind::Habitat:
      return std::make_unique<baselines::HabitatModel>(rows, catalog);
    case BaselineKind::NeuSight:
      return std::make_unique<baselines::NeuSightModel>(rows, catalog);
    case BaselineKind::Interpolation:
      return std::make_unique<baselines::InterpolationModel>(rows, catalog);
    default:
      return std::make_unique<RooflineModel>();
  }
}

}  // namespace warploom
