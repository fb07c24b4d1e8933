// Least squares for one configuration: the numerical core of wave_fit.
#pragma once

#include <vector>

#include "warploom/tuner/known_formulas.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

struct ConfigPoints {
  std::vector<TileWork> works;
  std::vector<float> times;  // us
  float feed_us = 0.1F;      // that one loop step's operands take from L2 when every SM asks

  void add(const TileWork& work, float time) {
    works.push_back(work);
    times.push_back(time);
  }
  std::size_t size() const { return times.size(); }
};

// Where the fit begins and what pulls it there: squared residuals are weighed against
// (weight x distance)^2.
struct FitPrior {
  FitPoint centre{}, weight{};
  int slots = 0;  // taken unless others are clearly better; 0: the fewest are
};
// Usual values of the GPUs of today, hardly binding; `feed_us` as in ConfigPoints.
FitPrior usual_prior(float feed_us);

struct ConfigFit {
  FittedConfig fitted;   // the caller sets `config`
  FitPoint point{};      // before the correction of wave buckets
  FitPoint curvature{};  // of the sum of squares along each coordinate, where the last step began
};

// What a point stands for, without the correction of wave buckets.
WaveCoefficients<float> coefficients_at(const FitPoint& point, float slots);

// Coefficients, residual and sampled range.
ConfigFit fit_config(const ConfigPoints& points, int most_slots, const FitPrior& prior);

}  // namespace warploom
