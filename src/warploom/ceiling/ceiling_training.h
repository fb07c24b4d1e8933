// Learns the ceiling of a family from measured rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "warploom/ceiling/family_ceiling.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/splits.h"

namespace warploom {

struct CeilingTrainingOptions {
  ShapeSplit split;                // shapes kept out
  std::size_t most_rows = 60'000;  // of a family; more are thinned out by shape
  std::uint64_t seed = 1;
  std::vector<std::string> exclude_gpus;  // canonical names
};

// With fewer rows a quantile is not learned.
inline constexpr std::size_t kFewestCeilingRows = 200;

// Whether a ceiling may learn from or be judged on a row: not chosen because a model failed on it, and no
// host's launch cost inside the time.
bool ceiling_counts(const Dataset& dataset, std::size_t row);

// Folds of shapes: trees for the rows of a fold learn from the others; their residuals make the quantiles.
// The kept trees then learn from all rows. Nothing when fewer than kFewestCeilingRows rows are left.
// Deterministic. About 5 s for 60,000 rows. `rows` of `family` alone.
std::optional<FamilyCeiling> train_ceiling(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                           const GpuCatalog& catalog, Family family,
                                           const CeilingTrainingOptions& options);

}  // namespace warploom
