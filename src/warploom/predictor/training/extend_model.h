// Makes room in a trained model for cells of one more sweep.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/predictor/model/family_model.h"

namespace warploom {

struct ExtendedModel {
  FamilyModel model;
  std::uint16_t gpu = 0;                // of the sweep, among model.gpus
  std::vector<std::uint32_t> new_cell;  // of each of the sweep's cells, its number in model.cells
  std::size_t measured_cells = 0;       // before the classes
};

// `sweep` has one GPU, and contexts and cells as choose_rows fills them. Its cells are put behind the
// measured cells of `model` and take the place of equal ones; trees of the others keep their cells,
// and what the codes of the model's contexts mean stays (FamilyModel::trained_contexts).
ExtendedModel extend_model(FamilyModel model, const FamilyModel& sweep);

}  // namespace warploom
