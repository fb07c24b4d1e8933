// Numbers of the names of contexts, which the learners take as features.
#pragma once

#include <vector>

#include "warploom/predictor/model/family_model.h"

namespace warploom {

// Codes of a context's framework, kernel and version among those of a model, in name order. The first two are
// features of the learners, so names that came after the training follow all others, in the order they came.
struct ContextCodes {
  float framework = 0, kernel = 0, version = 0;
};
std::vector<ContextCodes> context_codes(const FamilyModel& model);

}  // namespace warploom
