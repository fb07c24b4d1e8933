#include "warploom/predictor/model/family_model.h"

#include <algorithm>
#include <cmath>

namespace warploom {

std::size_t bucket_of(double log_base) {
  static const std::array<double, kBucketEdges.size()> edges{
      std::log(kBucketEdges[0]), std::log(kBucketEdges[1]), std::log(kBucketEdges[2])};
  return std::size_t(std::upper_bound(edges.begin(), edges.end(), log_base) - edges.begin());
}

double log_base_with(const Overhead& overhead, const OperatorFeatures& row) {
  const double added = double(overhead.fixed_seconds) + double(overhead.row_seconds) * row.rows;
  return added > 0 && row.rows > 0 ? std::log(std::exp(row.log_base) + added) : row.log_base;
}

FittedBase fitted_base(const FamilyModel& model) {
  FittedBase base;
  base.constants = model.constants;
  for (const CellRecord& cell : model.cells) base.overheads.push_back(cell.overhead);
  return base;
}

bool FamilyModel::knows_architecture(std::int32_t architecture) const {
  return std::any_of(gpus.begin(), gpus.end(),
                     [&](const GpuRecord& gpu) { return gpu.architecture == architecture && !gpu.adapted; });
}

const BaseConstants& constants_for(const std::vector<ConstantsRecord>& records, std::int32_t gpu,
                                   Family family) {
  const ConstantsRecord* any = nullptr;
  for (const ConstantsRecord& record : records) {
    if (record.gpu == gpu) return record.values;
    if (record.gpu == ConstantsRecord::kAnyGpu) any = &record;
  }
  return any != nullptr ? any->values : default_constants(family);
}

}  // namespace warploom
