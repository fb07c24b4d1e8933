// Which latency model a command uses.
#pragma once

#include <memory>
#include <string>

#include "warploom/kernels/latency_model.h"

namespace warploom {

// "" = the predictor linked into the program, "roofline" = physics alone, else a folder that `train` wrote.
// Throws NotFound, IoError, InvalidInput or Unsupported on a folder that holds no predictor of this version.
std::unique_ptr<const LatencyModel> open_latency_model(const std::string& predictor);

}  // namespace warploom
