// A word on a prediction whose kernel was not measured with the version that was asked for.
#pragma once

#include <string>

#include "warploom/app/predict/predict_operator.h"

namespace warploom {

// Empty where there is nothing to say. No version was measured of a kernel that a rule prices: one rule
// stands for all of them.
std::string version_note(const PredictRequest& request, const PredictResult& result);

}  // namespace warploom
