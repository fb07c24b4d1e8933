// Which measured rows of one family a training uses, and for what.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/training/training_options.h"

namespace warploom {

enum class Part : std::uint8_t { Learn, Calibrate, HoldOut };

// Columns of equal length, in the order of the data set.
struct TrainingRows {
  std::vector<std::uint32_t> source;  // row of the data set
  std::vector<std::uint32_t> cell;    // into FamilyModel::cells
  std::vector<std::uint64_t> shape;
  std::vector<Part> part;
  std::size_t size() const { return source.size(); }
};

// Fills the model's gpus, contexts and measured cells too (without offsets and intervals). Cells with fewer
// than 5 rows to learn from are dropped; rows marked as bad or as a publisher's test are not used.
TrainingRows choose_rows(const Dataset& dataset, const GpuCatalog& catalog, Family family,
                         const TrainingOptions& options, FamilyModel& model);

// Every row, 0 .. size-1, that `wants` accepts.
template <class Test>
std::vector<std::uint32_t> rows_where(const TrainingRows& rows, const Test& wants) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t r = 0; r < rows.size(); ++r)
    if (wants(r)) chosen.push_back(r);
  return chosen;
}

}  // namespace warploom
