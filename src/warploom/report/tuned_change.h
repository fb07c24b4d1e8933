// What tuned kernels change in a serving run.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/base/units.h"

namespace warploom {

struct MeanLatencies {
  Seconds ttft, tpot;
};

// The same run without the tuned kernels and with them: expected, and at both ends of their gain.
struct TunedChange {
  std::string tier;  // of the table
  MeanLatencies before, expected, least, most;
};

std::string tuned_change_text(const TunedChange& change);
// {"tier", "ttft": {"before_ms","expected_ms","least_ms","most_ms"}, "tpot": {...}}; least: of the least
// gain.
Json tuned_change_json(const TunedChange& change);

}  // namespace warploom
