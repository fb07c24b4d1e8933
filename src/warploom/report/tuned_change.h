// What tuned kernels change in a serving run.
#pragma once

#include <string>

#include "warploom/app/serving/tuned_change.h"
#include "warploom/base/json.h"

namespace warploom {

std::string tuned_change_text(const TunedChange& change);
// {"tier", "ttft": {"before_ms","expected_ms","least_ms","most_ms"}, "tpot": {...}}; least: of the least
// gain.
Json tuned_change_json(const TunedChange& change);

}  // namespace warploom
