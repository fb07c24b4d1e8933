// Learns the correction of one GPU's tables.
#pragma once

#include "warploom/predictor/family_job.h"
#include "warploom/predictor/family_tables.h"

namespace warploom {

// Weights of the guesses from how far each is off, then trees on what the weighted centre leaves, on the
// features that a first small ensemble found most useful. Empty when the GPU has fewer than 60 rows with
// neighbours.
CorrectionRecord fit_correction(const FamilyJob& job, const ResidualTable& residuals, int gpu);

}  // namespace warploom
