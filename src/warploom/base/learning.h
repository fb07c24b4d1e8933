// Whether this program can learn: the libraries that only training needs are optional when it is built.
#pragma once

#include <string_view>

#include "warploom/base/error.h"

namespace warploom {

// Another program, built with the training libraries, must do what was asked: main_light.cpp starts it.
class LearningElsewhere : public Unsupported {
 public:
  using Unsupported::Unsupported;
};

// True when the program was built with XGBoost, Ceres Solver and Eigen (WARPLOOM_LEARNING in CMake), or
// stands beside one that was.
bool learning_available();

// Throws Unsupported when they were absent; `task` starts the message, which says what to install. Throws
// LearningElsewhere in a program that leaves learning to the one beside it.
void require_learning(std::string_view task);

}  // namespace warploom
