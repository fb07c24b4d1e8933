// What `validate ceilings` finds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warploom {

// Rows of one family, or of one GPU.
struct CeilingShare {
  std::string name;
  std::size_t rows = 0, above = 0, flagged = 0;
  double above_share() const { return rows > 0 ? double(above) / double(rows) : 0; }
};

// Rows of one GPU for which a tuned time is known.
struct TunedGpu {
  std::string gpu;
  std::size_t flagged = 0;          // of all rows of the GPU
  std::size_t matched = 0;          // rows with a tuned time
  std::size_t matched_flagged = 0;  // of these
  double geomean_speedup = 1;       // untuned / tuned of these
  double mean_speedup = 1;
};

struct TunedComparison {
  std::string source;
  std::vector<TunedGpu> gpus;
  // Over GPUs, with the mean speed-up: of the number of flagged rows, and of the share of flagged among
  // matched rows. NaN with fewer than two GPUs.
  double pearson_flagged = 0, pearson_matched = 0;
};

// What one way to say ceilings says of the judged rows.
struct CeilingCounts {
  std::vector<CeilingShare> families, gpus;
  std::vector<TunedComparison> tuned;
  std::vector<std::pair<std::string, std::size_t>> skipped;  // reason, rows
};

struct CeilingValidation : CeilingCounts {
  double quantile = 0.8;
  std::string split;  // which rows were judged, in words
  // The published quantile model on the same rows, less those that it has no network for. Its efficiencies
  // are by the matrix unit's time alone, ours by the physical bound.
  std::optional<CeilingCounts> published;
};

}  // namespace warploom
