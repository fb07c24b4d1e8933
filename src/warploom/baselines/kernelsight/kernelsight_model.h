// KernelSight-LM (arXiv 2606.28565) from its description: a roofline times a learned efficiency.
//
//   LB = max(FLOP / peak, bytes / bandwidth), the first times whole waves / waves: the last is part-filled
//   T  = max(t0, LB / efficiency);   t0: launch floor, the least time that was measured of the kernel
// Tier B, the GPU was swept: the efficiency is interpolated between measured shapes. Tier A, it was not: a
// learner over dimensionless features (arithmetic intensity, its place beside the ridge, work of an SM,
// occupancy, waves, share of L2) gives it, so that only what the target's data sheet does not say is learned.
// Which learner a family takes, cross-validation says: each GPU of the training left out in turn (by shapes
// where there is one). One model per library's kernel and data type, since kernels must match what runs.
//
// The publication gives neither the sweep, nor settings of the learners, nor the form of the collectives:
// those are ours. Collectives: a time to start and a bandwidth for each GPU, kind and number of ranks.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "warploom/baselines/baseline.h"
#include "warploom/baselines/cell_lookup.h"
#include "warploom/baselines/interpolation.h"
#include "warploom/baselines/kernelsight/efficiency_learner.h"
#include "warploom/baselines/method_model.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {

class KernelSightModel final : public MethodModel {
 public:
  // Deterministic. Even draws of at most 8,000 rows of a kernel are learned from, 2,000 cross-validated.
  KernelSightModel(const BaselineRows& rows, const GpuCatalog& catalog);

  std::string lacks(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const override;
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;

  // The learner that cross-validation chose for each family.
  const std::map<Family, LearnerKind>& choices() const { return choices_; }

 private:
  struct Kernel {
    double floor = 0;  // t0 [s]
    EfficiencyLearner learner;
  };
  struct Link {
    double start = 0, seconds_per_byte = 0;
  };
  void learn_links(const BaselineRows& rows, const GpuCatalog& catalog);
  const GridInterpolator* surface(const CircleKeys& keys) const;
  void learn_surfaces(const BaselineRows& rows, const GpuCatalog& catalog);

  std::unordered_map<std::uint64_t, Kernel> kernels_;             // by Circle::Library
  std::unordered_map<std::uint64_t, GridInterpolator> surfaces_;  // ln efficiency, by Circle::Cell
  std::unordered_map<std::uint64_t, std::uint64_t> newest_;       // Circle::Release to a cell
  std::unordered_map<std::uint64_t, Link> links_;
  std::map<Family, LearnerKind> choices_;
};

}  // namespace warploom::baselines
