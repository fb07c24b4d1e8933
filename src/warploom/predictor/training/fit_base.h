// Fits the constants of a family's base to the GPUs in training.
#pragma once

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// From Learn rows of the GPUs g with of_gpus[g], some hundred rows a GPU, rows timed eagerly left out.
// Offsets of each framework, kernel and kind are free, so only differences within them are fitted;
// `overheads` of cells are added to the base (empty: none).
BaseConstants fit_constants_of(const FamilyJob& job, const std::vector<bool>& of_gpus,
                               const BaseConstants& prior, std::span<const Overhead> overheads);
// Constants from the family's defaults, for GPUs of any architecture, and the overheads of classes of
// products (class_overheads.h).
FittedBase fit_base(const FamilyJob& job, const std::vector<bool>& of_gpus);

}  // namespace warploom
