// Which shapes to measure when what they leave unknown is a Gaussian process with the covariance of
// kriging.h: one after the other the shape whose rows most lessen the variance summed over all rows (greedy
// A-optimal design). The process has the same variance whatever the latencies are, so none is needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/predictor/model/kriging.h"

namespace warploom {

struct DesignRow {
  std::vector<float> features;  // as many as all rows have, in any units
  KernelCode code;
  std::uint32_t shape = 0;  // all rows of a shape are measured together
};

// Numbers of at most `count` shapes in the order chosen; `shapes` of them are numbered from 0, each has a
// row. The variance is summed over at most 1,500 rows, evenly drawn. O(count x rows x 1500 x rows of a shape)
// time, O(rows x 1500) memory.
std::vector<std::uint32_t> design_shapes(std::span<const DesignRow> rows, std::uint32_t shapes,
                                         std::size_t count);

}  // namespace warploom
