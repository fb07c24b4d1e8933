// What `train-ceilings` learned.
#pragma once

#include <string>

#include "warploom/app/data/train_ceilings.h"
#include "warploom/base/json.h"

namespace warploom {

std::string ceiling_training_text(const TrainCeilingsResult& result);
// {"families": {F: {"rows", "gpus", "bytes"}}, "too_few": {F: rows}}
Json ceiling_training_json(const TrainCeilingsResult& result);

}  // namespace warploom
