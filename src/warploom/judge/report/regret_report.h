// A table's picks against exhaustive measurements, and those of other ways to choose.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/judge/regret/tune_regret.h"

namespace warploom {

std::string tune_regret_text(const TuneRegretResult& result);
// {"method", "shapes", "geo_mean_share", "mean_share", "worst_share", "p10_share", "pick_error_median",
// "geo_mean_speedup", "best_speedup", "worst_speedup", "anchors", "fit_seconds", "decision_ns", "seen":
// {"shapes", "with_them": the same}, "baselines": {name: {"how", ...the same}}, "rows": [{"m", "n", "k",
// "picked", "best", "share", "picked_us", "best_us", "predicted_us", "default_us", "library_us"}]}; a speedup
// is against the default configuration, null where that was not measured. anchors (timings that a method was
// made from), fit_seconds and decision_ns are null where there is none or it was not asked for.
Json tune_regret_json(const TuneRegretResult& result);

}  // namespace warploom
