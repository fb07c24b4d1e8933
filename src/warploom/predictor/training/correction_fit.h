// Learns the correction of the tables of one GPU, or of all.
#pragma once

#include "warploom/predictor/tables/family_tables.h"
#include "warploom/predictor/training/family_job.h"

namespace warploom {

// Weights of the guesses from how far each is off, then trees on what the weighted centre leaves, on the
// features that a first small ensemble found most useful. `gpu` -1: all of them. Empty when there are fewer
// than 60 rows with neighbours.
CorrectionRecord fit_correction(const FamilyJob& job, const ResidualTable& residuals, int gpu);

}  // namespace warploom
