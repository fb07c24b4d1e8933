// Trains PipeWeave's networks and forests from measured rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

#include "warploom/baselines/baseline.h"
#include "warploom/baselines/pipeweave/pipeweave_model.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {

inline constexpr std::size_t kFewestEfficiencyRows = 200;  // of a kernel for a network

struct PipeWeaveOptions {
  std::size_t rows_per_gpu = 0;  // of each kernel, an even draw; 0: all
  std::size_t epochs = 2500;     // at most
  double quantile = 0;           // a ceiling at this quantile in place of the mean
  std::uint64_t seed = 42;
  std::size_t threads = 0;  // 0: as many as the machine has; no effect on results
  std::function<void(std::string_view)> progress;
};

// The efficiency that each row of a kernel reached, with its features.
struct KernelRows {
  std::vector<std::uint32_t> rows;
  EfficiencyRows learned;  // in the order of `rows`
};
std::map<published::PublishedKernel, KernelRows> rows_by_kernel(const BaselineRows& rows,
                                                                const GpuCatalog& catalog,
                                                                std::size_t rows_per_gpu);

// One network for each kernel with enough rows, in parallel, and a forest for each GPU and collective within
// a node. Rows that the method has no kernel for are left out. Equal input gives equal models for any number
// of threads. A model without a network and a forest, where nothing can be learned.
PipeWeaveModel train_pipeweave(const BaselineRows& rows, const GpuCatalog& catalog,
                               const PipeWeaveOptions& options);

}  // namespace warploom::baselines
