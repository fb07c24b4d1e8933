// Fits the constants of a family's base to the GPUs in training.
#pragma once

#include "warploom/predictor/family_job.h"

namespace warploom {

// From Learn rows of every GPU but `left_out_gpu` (-1: none), some hundred rows a GPU, rows timed eagerly
// left out. Offsets of each framework, kernel and kind are free, so only what differs within them speaks.
std::vector<ConstantsRecord> fit_base(const FamilyJob& job, int left_out_gpu);

}  // namespace warploom
