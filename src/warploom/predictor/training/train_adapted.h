// GPUs with few rows: how these correct the prediction of the other GPUs.
#pragma once

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// Refits the constants of the base for adapted GPUs that no sibling serves, those of an architecture
// together, with the others' as prior.
void refit_constants(FamilyJob& job);

// Sets level, share, offsets, intervals and ensemble of each adapted GPU. Offsets are shrunk means, GPU over
// kind over kernel over version; the trees' share and the intervals come from cross-validation by shape. The
// other tiers of the model must be complete.
void train_adapted(FamilyJob& job);

}  // namespace warploom
