// What `train` learned.
#pragma once

#include <string>

#include "warploom/app/data/train.h"
#include "warploom/base/json.h"

namespace warploom {

std::string train_summary_text(const TrainSummary& summary);
// {"rows", "bytes", "families": {F: {"rows_learned", "held_out": E, "left_out_gpu": {G: E}, "seconds",
// "tables":
// {"rows", "held_out": E, "answered", "seconds"}}}} with E = {"rows", "mean_error", "median_error",
// "p90_error", "coverage"}
Json train_summary_json(const TrainSummary& summary);

}  // namespace warploom
