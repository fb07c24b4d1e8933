// Text and JSON of a host's calibration.
#pragma once

#include <string>

#include "warploom/app/runs/calibrate_host_runs.h"
#include "warploom/base/json.h"

namespace warploom {

std::string host_calibration_text(const HostCalibration& calibration);
Json host_calibration_json(const HostCalibration& calibration);

}  // namespace warploom
