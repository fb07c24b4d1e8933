#include "warploom/tuner/internal/known_prior.h"

#include <cmath>

namespace warploom {
namespace {

// How firmly a known coordinate pulls: off by a factor e, it weighs as much as a squared residual of 0.4,
// beside what usual values weigh anyway. Source: least error at shapes left out of an H100's anchors, and
// picks of tables of another kernel on an H200 (decision 0067); 0.4 to 0.8 are alike.
constexpr float kKnownPull = 0.6F, kWeakPull = 0.03F;
// A coordinate that samples held less firmly counts as held so much: the correction was learned beside its
// value, wherever that came from. Source: as above, 0 to 1 are alike.
constexpr float kLeastHeld = 0.1F;
// No more than a factor e of one configuration counts for what all have in common, and no curvature less than
// the second; what is common is 0 until three firm configurations say otherwise.
constexpr float kMostApart = 1, kLeastCurvature = 0.05F, kShrinkage = 3;

}  // namespace

void pull_to(FitPrior& prior, const KnownFormula& known, const FitPoint& common) {
  prior.slots = known.slots;
  for (std::size_t p = 0; p < kFitted; ++p) {
    prior.centre[p] = known.point[p] + common[p];
    prior.weight[p] = kWeakPull + kKnownPull * std::sqrt(std::max(known.held[p], kLeastHeld));
  }
}

void add_common(FitPoint& common, const std::vector<ConfigFit>& fits, const KnownFormulas& known) {
  FitPoint sum{}, weight{};
  for (const ConfigFit& fit : fits) {
    const auto found = known.find(fit.fitted.config);
    if (found == known.end()) continue;
    for (std::size_t p = 0; p < kFitted; ++p) {
      const float pulled = 1 + kKnownPull * kKnownPull / std::max(fit.curvature[p], kLeastCurvature);
      const float apart = (fit.point[p] - found->second.point[p] - common[p]) * pulled;
      const float counts = firmness(fit.curvature[p]) * firmness(found->second.held[p]);
      sum[p] += counts * std::clamp(apart, -kMostApart, kMostApart);
      weight[p] += counts;
    }
  }
  for (std::size_t p = 0; p < kFitted; ++p) common[p] += sum[p] / (weight[p] + kShrinkage);
}

}  // namespace warploom
