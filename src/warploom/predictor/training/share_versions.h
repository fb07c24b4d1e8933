// Versions of a kernel that behave alike learn common trees: a version that did not change a kernel adds
// rows, not another model of it.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/predictor/training/class_offsets.h"
#include "warploom/predictor/training/family_job.h"

namespace warploom {

// For the cells of one GPU, `table` holding its Learn rows: sets job.leader, the cell whose trees each shares
// (itself when it is alone), and the offset of the others to the leader's plus the median ratio of equal
// shapes. Cells of one framework, kernel and kind, all timed eagerly or none, are alike when at least
// kFewestCommon shapes are measured in both and ln of their ratio, less its median, is small: by median and
// mean. job.leader must have an entry for each measured cell. O(rows log rows).
void share_versions(FamilyJob& job, const TrainingTable& table, CellOffsets& offsets);

inline constexpr std::size_t kFewestCommon = 30;
// Repeated rows of one source differ by 1 % (median) and 2 to 3 % (mean).
inline constexpr double kAlikeMedian = 0.02, kAlikeMean = 0.035;

}  // namespace warploom
