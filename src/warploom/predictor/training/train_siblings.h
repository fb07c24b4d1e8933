// The interval of predictions of one GPU from the others of its architecture.
#pragma once

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// FamilyModel::interval_sibling, from Calibrate rows of every GPU that has a measured sibling, predicted from
// its siblings alone. The model's measured and cross tiers must be complete.
LogInterval fit_siblings(const FamilyJob& job);

}  // namespace warploom
