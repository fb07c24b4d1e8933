// The measured tier: one ensemble for each GPU, intervals of each cell from shapes that the trees never saw.
#pragma once

#include "warploom/predictor/family_job.h"

namespace warploom {

// The ensemble of one GPU from a table of its Learn rows.
EnsembleRecord train_gpu(const FamilyJob& job, const TrainingTable& learn, std::uint16_t gpu,
                         std::span<const float> offsets);

// Sets the intervals of the measured cells from Calibrate rows, then reports on the HoldOut rows.
// `by_gpu` holds the trees of each GPU.
void finish_measured(FamilyJob& job, const std::vector<TreeEnsemble>& by_gpu, std::span<const float> offsets);

}  // namespace warploom
