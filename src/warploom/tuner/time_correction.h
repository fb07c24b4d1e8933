// What the wave model's formula misses, as something learned from measured shapes may know it.
//
// The tuner asks through this interface and does not learn itself: a table built without a correction works,
// with one its cells hold the mean correction of each candidate.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "warploom/tuner/wave_model.h"

namespace warploom {

struct CorrectionQuery {
  const FittedConfig* config = nullptr;
  TileShape shape;
  TileWork work;
  float predicted_us = 0;  // of the formula
};

class TimeCorrection {
 public:
  virtual ~TimeCorrection() = default;
  // out[i] = ln(time / predicted_us) of queries[i]. Same sizes. Thread-safe.
  virtual void log_ratios(const TileKernel& kernel, std::span<const CorrectionQuery> queries,
                          std::span<float> out) const = 0;
  // The GPUs whose measurements it was learned from, by names of the catalogue; none: not known.
  virtual std::span<const std::string> gpus() const { return {}; }
};

// What a learner sees of a query: fills, alignment and shares of the time; no absolute time or size of a GPU
// beyond waves and shares of time.
inline constexpr std::size_t kCorrectionFeatures = 28;
inline constexpr int kCorrectionFeatureVersion = 1;  // counts up when a feature changes its meaning
void correction_features(const TileKernel& kernel, const CorrectionQuery& query,
                         std::array<float, kCorrectionFeatures>& out);

}  // namespace warploom
