// Text and JSON of a host's calibration.
#pragma once

#include <string>

#include "warploom/app/serving/calibrate_host.h"
#include "warploom/base/json.h"

namespace warploom {

std::string host_calibration_text(const CalibrateHostResult& result);
Json host_calibration_json(const CalibrateHostResult& result);

}  // namespace warploom
