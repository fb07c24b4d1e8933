// Predicts models with layer sizes that were never measured, on measured GPUs. The trees of the GPU's cells
// have seen some twenty layers and know those by heart. So one ensemble per GPU learns from the structural
// base alone, without sizes and cells, and with bounded residuals.
#pragma once

#include <span>
#include <vector>

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// Fills CellRecord::layers of the measured cells from Learn rows. Nothing in families without layers.
void list_layers(FamilyJob& job, const std::vector<TrainingTable>& tables);

// Sets EnsembleRecord::layer_trees of a GPU (`record`, whose cells' trees are set) from its Learn rows, and
// interval_new_layer of its cells from leaving a fifth of the layers out at a time. Nothing when the family
// has no layers, or the GPU fewer than ten of them. Touches no other GPU's cells.
void train_new_layers(FamilyJob& job, const TrainingTable& learn, std::uint16_t gpu, EnsembleRecord& record);

}  // namespace warploom
