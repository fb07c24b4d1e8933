// The measured tier: symmetric trees for each cell, intervals of each cell from shapes that the trees never
// saw.
#pragma once

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// Ranges and the cells' trees of one GPU from a table of its Learn rows.
EnsembleRecord train_gpu(const FamilyJob& job, const TrainingTable& learn, std::uint16_t gpu,
                         std::span<const float> offsets);

// Sets the intervals of the measured cells from Calibrate rows, then reports on the HoldOut rows. The model's
// ensembles must be complete; GPUs without one are passed over.
void finish_measured(FamilyJob& job);

}  // namespace warploom
