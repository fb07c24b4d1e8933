// For networks whose sizes were never measured on a GPU that was: what its cells' own trees learned, they
// learned by heart from some twenty designs. One ensemble per GPU sees neither sizes nor cells, only what
// the structural base says, and bounds what rows that nothing explains may do to it.
#pragma once

#include <span>
#include <vector>

#include "warploom/predictor/training/family_job.h"

namespace warploom {

// Fills CellRecord::designs of the measured cells from Learn rows. Nothing in families without designs.
void list_designs(FamilyJob& job, const std::vector<TrainingTable>& tables);

// Sets EnsembleRecord::design_trees of a GPU (`record`, whose cells' trees are set) from its Learn rows, and
// interval_new_design of its cells from leaving a fifth of the designs out at a time. Nothing when the family
// has no designs, or the GPU fewer than ten of them. Touches no other GPU's cells.
void train_new_designs(FamilyJob& job, const TrainingTable& learn, std::uint16_t gpu, EnsembleRecord& record);

}  // namespace warploom
