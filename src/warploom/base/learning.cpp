#include "warploom/base/learning.h"

#include <string>

#include "warploom/base/error.h"

namespace warploom {

bool learning_available() { return WARPLOOM_LEARNING_BUILT != 0; }

void require_learning(std::string_view task) {
  if (learning_available()) return;
  throw Unsupported(std::string(task) +
                    ": this build has no training libraries (XGBoost, Ceres Solver, Eigen); "
                    "install them (Debian and Ubuntu: libxgboost-dev libceres-dev libmetis-dev "
                    "libeigen3-dev), then configure with -DWARPLOOM_LEARNING=ON and build again");
}

}  // namespace warploom
