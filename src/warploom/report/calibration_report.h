// What `calibrate` found.
#pragma once

#include <string>

#include "warploom/app/data/calibrate.h"
#include "warploom/base/json.h"

namespace warploom {

std::string calibration_text(const CalibrateResult& result);
// {"gpu", "before": E, "after": E, "families": {F: {"rows_learned", "before": E, "after": E}}, "too_few":
// [family], "constants": {name: value}, "import" (import_report.h), "bytes"} with E an ErrorSummary
Json calibration_json(const CalibrateResult& result);

}  // namespace warploom
