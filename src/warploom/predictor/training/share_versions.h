// Versions of a kernel that behave alike learn common trees: a version that did not change a kernel adds
// rows, not another model of it.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/training/training_table.h"

namespace warploom {

// A cell that shares the trees of another, which shares none itself.
struct SharedCell {
  std::uint32_t cell = 0, leader = 0;
  double above = 0;  // ln; the median ratio of the cell's equal shapes to the leader's
};

// Looks among the cells of one GPU, `table` holding its Learn rows. Cells of one framework, kernel and kind,
// all timed eagerly or none, are alike when at least kFewestCommon shapes are measured in both and ln of
// their ratio, less its median, is small: by median and mean. O(rows log rows).
std::vector<SharedCell> share_versions(const FamilyModel& model, const TrainingTable& table);

inline constexpr std::size_t kFewestCommon = 30;
// Repeated rows of one source differ by 1 % (median) and 2 to 3 % (mean).
inline constexpr double kAlikeMedian = 0.02, kAlikeMean = 0.035;

}  // namespace warploom
