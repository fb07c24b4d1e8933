// `tune fit --method wavetune`: measured samples into a table of the published wave model.
#pragma once

#include <string>

#include "warploom/app/tune/tune_fit.h"
#include "warploom/judge/wavetune/wavetune_table.h"

namespace warploom {

struct WaveTuneFitResult {
  WaveTuneTable table;
  std::string warning;     // as TuneFitResult has it
  double fit_seconds = 0;  // varies from run to run
};

// `request` is of the method wavetune. Throws as tune_fit does, and when the correction is turned off, which
// the published model does not have.
WaveTuneFitResult tune_fit_wavetune(const TuneFitRequest& request);

}  // namespace warploom
