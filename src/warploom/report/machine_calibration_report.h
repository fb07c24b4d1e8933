// Text and JSON of a machine's calibration.
#pragma once

#include <string>

#include "warploom/app/runs/calibrate_machine.h"
#include "warploom/base/json.h"

namespace warploom {

std::string machine_calibration_text(const CalibrateMachineResult& result);
Json machine_calibration_json(const CalibrateMachineResult& result);

}  // namespace warploom
