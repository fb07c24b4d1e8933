// The interval of predictions of one GPU from the others of its architecture.
#pragma once

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// Predicts Calibrate rows of every GPU that has a measured sibling from its siblings alone and sets
// job.model.interval_sibling. The model's measured and cross tiers must be complete.
void fit_siblings(FamilyJob& job);

}  // namespace warploom
