// Trains KernelSight-LM from measured rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "warploom/baselines/baseline.h"
#include "warploom/baselines/kernelsight/kernelsight_model.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {

struct KernelSightOptions {
  std::size_t rows_per_gpu = 0;  // of each library's kernel, an even draw; 0: all
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has; no effect on results
  std::function<void(std::string_view)> progress;
};

// Surfaces of every cell that was swept, a learner for each library's kernel with at least 50 rows (even
// draws of at most 8,000 rows of a kernel are learned from, 2,000 cross-validated), a line for each
// collective. Equal input gives equal models for any number of threads. Without rows a model of nothing.
KernelSightModel train_kernelsight(const BaselineRows& rows, const GpuCatalog& catalog,
                                   const KernelSightOptions& options = {});

}  // namespace warploom::baselines
