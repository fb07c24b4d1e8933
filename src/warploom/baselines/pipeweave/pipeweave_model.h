// PipeWeave (SynPerf in its first version; arXiv 2601.14910, ISCA 2026) as published: for each kernel a
// network from the published features to efficiency; a random forest for the collectives of each GPU.
//
// Networks answer for GPUs that they were not trained on. A latency has no interval, and is not below the
// physical bound. Where the method has no model the roofline answers (method_model.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warploom/baselines/method_model.h"
#include "warploom/baselines/pipeweave/collective_forest.h"
#include "warploom/baselines/pipeweave/efficiency_network.h"
#include "warploom/baselines/pipeweave/published_kernel.h"

namespace warploom::baselines {

// What was learned of a kernel.
struct PipeWeaveKernel {
  EfficiencyNetwork network;
  std::vector<std::string> gpus;  // learned from
  std::size_t rows = 0;
};
using PipeWeaveKernels = std::map<published::PublishedKernel, PipeWeaveKernel>;

// An efficiency, and what it is a share of: the time of the busiest pipe's work at its full rate.
struct ExpectedEfficiency {
  double efficiency = 0;
  Seconds at_full_rate{0.0};
};

class PipeWeaveModel final : public MethodModel {
 public:
  PipeWeaveModel(PipeWeaveKernels kernels, std::vector<CollectiveForest> forests)
      : kernels_(std::move(kernels)), forests_(std::move(forests)) {}

  std::string lacks(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const override;
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;

  // What a kernel's network says; nothing where there is none. Throws Unsupported on sizes without a tile.
  std::optional<ExpectedEfficiency> expected(const Operator& op, const GpuSpec& gpu,
                                             const KernelContext& context) const;

  const PipeWeaveKernels& kernels() const { return kernels_; }
  const std::vector<CollectiveForest>& forests() const { return forests_; }

 private:
  const CollectiveForest* forest(const Collective& op, const GpuSpec& gpu) const;

  PipeWeaveKernels kernels_;
  std::vector<CollectiveForest> forests_;
};

}  // namespace warploom::baselines
