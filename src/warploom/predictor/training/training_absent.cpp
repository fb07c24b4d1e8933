// Stands in for the fit that calls training libraries, where the program is built without them.
#include "warploom/base/learning.h"
#include "warploom/predictor/training/constants_fit.h"

namespace warploom {

BaseConstants fit_constants(Family, std::span<const ConstantsFitRow>, const BaseConstants& prior,
                            const ConstantsFitOptions&) {
  require_learning("fitting constants");
  return prior;
}

}  // namespace warploom
