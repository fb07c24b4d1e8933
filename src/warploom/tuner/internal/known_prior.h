// What is known of configurations from elsewhere, as a prior of their fits here.
#pragma once

#include <algorithm>
#include <vector>

#include "warploom/tuner/internal/config_fit.h"

namespace warploom {

// 0 to 1.
inline float firmness(float curvature) { return std::min(1.0F, curvature); }

// `common`: how all configurations here differ from what is known.
void pull_to(FitPrior& prior, const KnownFormula& known, const FitPoint& common);

// Adds what the fits still have in common beyond `common`: of each its distance from its prior, as it would
// be without the pull, weighted by how firmly samples hold it here and there.
void add_common(FitPoint& common, const std::vector<ConfigFit>& fits, const KnownFormulas& known);

}  // namespace warploom
