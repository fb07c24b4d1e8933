// Least squares for one configuration: the numerical core of wave_fit.
#pragma once

#include <vector>

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

// Coefficients, residual and sampled range; the caller sets `config`.
FittedConfig fit_config(const ConfigPoints& points, int most_slots);

}  // namespace warploom
