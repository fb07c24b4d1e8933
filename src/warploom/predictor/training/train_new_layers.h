// Predicts models with layer sizes that were never measured, on measured GPUs. The trees of the GPU's cells
// have seen some twenty layers and know those by heart. So one ensemble per GPU learns from the structural
// base alone, without sizes and cells, and with bounded residuals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// CellRecord::layers of each measured cell, from Learn rows. Empty ones in families without layers.
std::vector<std::vector<std::uint32_t>> list_layers(const FamilyJob& job,
                                                    const std::vector<TrainingTable>& tables);

// What a GPU answers new layers with.
struct NewLayers {
  std::string trees;                   // EnsembleRecord::layer_trees
  std::vector<LogInterval> intervals;  // interval_new_layer of the measured cells, those of other GPUs unset
};
// From the GPU's Learn rows, the intervals from leaving a fifth of the layers out at a time. Empty when the
// family has no layers, or the GPU fewer than ten of them. Needs the offsets of the measured cells.
NewLayers train_new_layers(const FamilyJob& job, const TrainingTable& learn, std::uint16_t gpu);

}  // namespace warploom
