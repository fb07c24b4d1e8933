// An answer in logarithms, before it becomes a LatencyEstimate.
#pragma once

#include "warploom/predictor/model/family_model.h"

namespace warploom {

struct LogEstimate {
  double log_p50 = 0;         // ln seconds
  double low = 0, high = 0;   // p10 and p90 less log_p50, low <= 0 <= high
  bool extrapolated = false;  // a feature lies outside its trained range
  double outside = 0;         // so far (LoadedFamily::outside)
  bool from_siblings = false;

  // Sets low and high from an interval of errors, `widening` times.
  void set_interval(const LogInterval& interval, double log_base, double widening = 1);
  // Marks features that lie `distance` outside the trained range (LoadedFamily::outside) and widens.
  void set_outside(double distance);
  // Adds what cold operands take longer (OperatorFeatures::cold), and doubt of it.
  void add_cold(double seconds);
  // Further ln half-width from a cause that is independent of the others.
  void doubt(double half_width);
};

}  // namespace warploom
