// What the auto-tuner found: a fit, its regret, one shape's candidates.
#pragma once

#include <string>

#include "warploom/app/tune/tune_correction.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/app/tune/tune_pick.h"
#include "warploom/app/tune/tune_regret.h"
#include "warploom/base/json.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {

std::string tune_fit_text(const TuneFitResult& fit);
// {"kernel", "kind", "gpu", "configs", "left_out", "samples", "buckets", "median_r_squared",
// "median_residual", "default", "cells", "mean_candidates", "table_bytes", "fit_seconds", "correction":
// {"used", "learned_on" (names with commas), "this_gpu"}, "fitted": [{"config", "residual", "buckets",
// "median_r_squared"}]}
Json tune_fit_json(const TuneFitResult& fit);

// The same of the published wave model.
std::string wavetune_fit_text(const WaveTuneFitResult& fit);
// {"method", "kernel", "kind", "gpu", "macro_configs", "left_out", "samples", "anchors", "buckets",
// "median_r_squared", "default", "fit_seconds"}; anchors are the samples that the fit used.
Json wavetune_fit_json(const WaveTuneFitResult& fit);

std::string tune_regret_text(const TuneRegretResult& result);
// {"method", "shapes", "geo_mean_share", "mean_share", "worst_share", "p10_share", "pick_error_median",
// "geo_mean_speedup", "best_speedup", "worst_speedup", "anchors", "fit_seconds", "decision_ns", "seen":
// {"shapes", "with_them": the same}, "baselines": {name: {"how", ...the same}}, "rows": [{"m", "n", "k",
// "picked", "best", "share", "picked_us", "best_us", "predicted_us", "default_us", "library_us"}]}; a speedup
// is against the default configuration, null where that was not measured. anchors (timings that a method was
// made from), fit_seconds and decision_ns are null where there is none or it was not asked for.
Json tune_regret_json(const TuneRegretResult& result);

std::string tune_learn_text(const TuneLearnResult& result);
// {"rows", "unaligned_rows", "gpus", "before", "after"}: root mean squares of ln(model / measured)
Json tune_learn_json(const TuneLearnResult& result);

// {"m", "n", "k", "config", "tile_m", ..., "predicted_us", "default"}
Json tile_pick_json(const TileShape& shape, const TilePick& pick);

// A line each: the configuration and its time.
std::string tune_pick_text(const TunePickResult& result);
// Each pick as tile_pick_json with "error_bound" (of the published model: "extrapolated") and "tier".
Json tune_picks_json(const TunePickResult& result);

}  // namespace warploom
