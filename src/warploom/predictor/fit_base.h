// Fits the constants of a family's base to the GPUs in training.
#pragma once

#include "warploom/predictor/family_job.h"

namespace warploom {

// From Learn rows of the GPUs g with of_gpus[g], some hundred rows a GPU, rows timed eagerly left out.
// Offsets and overheads (class_overheads.h) of each framework, kernel and kind are free, so only what differs
// within them speaks.
FittedBase fit_base(const FamilyJob& job, const std::vector<bool>& of_gpus);

}  // namespace warploom
