// What each tier answers for one operator whose features are known.
//
//   measured   ln base + offset of the cell + trees of the GPU; with measured tables, ln base + what the
//              measured neighbours need beyond theirs
//   sibling    ln base + mean over measured GPUs of the same architecture of (offset + trees) there: what
//              the donor needed beyond its own base, this GPU needs beyond its own
//   cross      ln base + offset of the class + shrunk trees of all GPUs; where a GPU of a cousin architecture
//              ran the same attention kernel, mostly what that one needs beyond its base
//   adapted    sibling or cross + level of the GPU + kriging of its rows, what each measured
//              architecture says among its inputs, + its trees on what these leave
#pragma once

#include "warploom/predictor/loaded_family.h"

namespace warploom {

struct LogEstimate {
  double log_p50 = 0;         // ln seconds
  double low = 0, high = 0;   // p10 and p90 less log_p50, low <= 0 <= high
  bool extrapolated = false;  // a feature lies outside its trained range
  double outside = 0;         // so far (LoadedFamily::outside)
  bool from_siblings = false;

  // Further ln half-width from a cause that is independent of the others.
  void doubt(double half_width);
};

// `cell` of family.model; `row` as compute_features left it, with the constants of the GPU, its base with the
// overhead of the cell. No allocation.
LogEstimate measured_estimate(const LoadedFamily& family, const CellRecord& cell, const FeatureRow& row);

// From the family's measured tables where these answer, else measured_estimate.
LogEstimate interpolated_estimate(const LoadedFamily& family, const Operator& op, const CellRecord& cell,
                                  const FeatureRow& row);

// The same as measured_estimate for a cell with trees of its own, without what they add to log_p50.
LogEstimate measured_base(const LoadedFamily& family, const CellRecord& cell, const FeatureRow& row);

// For a GPU without rows of this context; `row` holds the features of `kernel`. `hidden_gpu` of model.gpus
// (-1: none) gives nothing. `found`: the class that answers (nullptr: find_class). The index must find some
// cell of the family.
LogEstimate cross_estimate(const LoadedFamily& family, const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context, std::uint32_t kind, const ContextKernel& kernel,
                           const FeatureRow& row, int hidden_gpu = -1,
                           const CellIndex::Found* found = nullptr);

// For an adapted GPU, number `gpu_index` of model.gpus; `cell` is its own or nullptr.
LogEstimate adapted_estimate(const LoadedFamily& family, std::size_t gpu_index, const CellRecord* cell,
                             const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                             std::uint32_t kind, ContextKernel kernel, const FeatureRow& row);

// Architectures (architecture_class) for which libraries compile the same attention sources: graphics parts
// of different generations.
bool are_cousins(int architecture, int other);

// Distance of two GPUs' specs: root of summed squares of logarithms of their rates and sizes.
double gpu_distance(const GpuSpec& a, const GpuSpec& b);

}  // namespace warploom
