// What the auto-tuner found: a fit, what the formula misses, one shape's pick.
#pragma once

#include <string>

#include "warploom/app/tune/tune_correction.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_pick.h"
#include "warploom/base/json.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {

std::string tune_fit_text(const TuneFitResult& fit);
// {"kernel", "kind", "gpu", "configs", "left_out", "samples", "buckets", "median_r_squared",
// "median_residual", "default", "cells", "mean_candidates", "table_bytes", "fit_seconds", "correction":
// {"used", "learned_on" (names with commas), "this_gpu"}, "fitted": [{"config", "residual", "buckets",
// "median_r_squared"}]}
Json tune_fit_json(const TuneFitResult& fit);

std::string tune_learn_text(const TuneLearnResult& result);
// {"rows", "unaligned_rows", "gpus", "before", "after"}: root mean squares of ln(model / measured)
Json tune_learn_json(const TuneLearnResult& result);

// {"m", "n", "k", "config", "tile_m", ..., "predicted_us", "default"}
Json tile_pick_json(const TileShape& shape, const TilePick& pick);

// A line each: the configuration and its time.
std::string tune_pick_text(const TunePickResult& result);
// Each pick as tile_pick_json with "error_bound" and "tier".
Json tune_picks_json(const TunePickResult& result);

}  // namespace warploom
