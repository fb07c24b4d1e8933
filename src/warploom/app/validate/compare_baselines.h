// Baselines trained and judged on the rows that a predictor is judged beside.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/baselines/baseline.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/error_summary.h"

namespace warploom {

struct BaselineErrors {
  std::string name;
  ErrorSummary overall;
  std::vector<std::pair<std::string, ErrorSummary>> families, gpus;  // in order of name
};

// Trains each baseline on `training` and judges it on `judged` rows of `dataset`. Rows that a GPU refuses are
// left out, as validate_kernels leaves them out. Coverage is that of a point, so nearly 0 (the roofline has
// an interval).
std::vector<BaselineErrors> compare_baselines(const std::vector<BaselineKind>& kinds,
                                              const BaselineRows& training, const Dataset& dataset,
                                              const std::vector<std::uint32_t>& judged,
                                              const GpuCatalog& catalog,
                                              const std::function<void(std::string_view)>& progress);

}  // namespace warploom
