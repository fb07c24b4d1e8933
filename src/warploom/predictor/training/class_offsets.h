// Mean levels of ln(latency / base): of a cell, and of its class over GPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/training/training_table.h"

namespace warploom {

// Per measured cell: the mean target of its Learn rows in a table, and their number (0: offset 0).
struct CellOffsets {
  std::vector<float> offset;
  std::vector<std::uint32_t> rows;
};
CellOffsets cell_offsets(const TrainingTable& table, std::size_t cells);

// Whether the family's base follows the kernel that a context names, so that levels of classes hardly
// carry over: plain attention and experts by the rules of the kernel, products by their overheads.
bool base_sets_the_level(Family family);

// A class is a framework, kernel and kind over all GPUs. The offsets of cells as classes: the mean over GPUs
// of the cells' offsets, over those g with of_gpus[g]. A cell whose class has no other GPU
// takes the mean of its kind, else of all. One entry per measured cell.
// For products only what architectures agree on; zeros for plain attention and experts, whose bases know the
// kernel: with the mean offset of their classes, generations that were left out came out worse.
std::vector<float> class_offsets(const FamilyModel& model, const CellOffsets& cells,
                                 const std::vector<bool>& of_gpus);
// The classes themselves (gpu = kAnyGpu), made of the measured cells with their overheads and offsets.
std::vector<CellRecord> class_cells(const FamilyModel& model, const CellOffsets& cells,
                                    const std::vector<bool>& of_gpus);

}  // namespace warploom
