// Whether this program can learn: the libraries that only training needs are optional when it is built.
#pragma once

#include <string_view>

namespace warploom {

// True when the program was built with XGBoost, Ceres Solver and Eigen (WARPLOOM_LEARNING in CMake).
bool learning_available();

// Throws Unsupported when they were absent; `task` starts the message, which says what to install.
void require_learning(std::string_view task);

}  // namespace warploom
