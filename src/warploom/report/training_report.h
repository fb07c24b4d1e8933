// What `train` and `train-ceilings` learned.
#pragma once

#include <string>

#include "warploom/app/data/train.h"
#include "warploom/app/data/train_ceilings.h"
#include "warploom/base/json.h"

namespace warploom {

std::string train_summary_text(const TrainSummary& summary);
// {"rows", "bytes", "families": {F: {"rows_learned", "held_out": E, "left_out_gpu": {G: E}, "seconds",
// "tables":
// {"rows", "held_out": E, "answered", "seconds"}}}} with E = {"rows", "mean_error", "median_error",
// "p90_error", "coverage"}
Json train_summary_json(const TrainSummary& summary);

std::string ceiling_training_text(const TrainCeilingsResult& result);
// {"families": {F: {"rows", "gpus", "bytes"}}, "too_few": {F: rows}}
Json ceiling_training_json(const TrainCeilingsResult& result);

}  // namespace warploom
