// KernelSight-LM (arXiv 2606.28565) from its description: a roofline times a learned efficiency.
//
//   LB = max(FLOP / peak, bytes / bandwidth), the first times whole waves / waves: the last is part-filled
//   T  = max(t0, LB / efficiency);   t0: launch floor, the least time that was measured of the kernel
// Tier B, the GPU was swept: the efficiency is interpolated between measured shapes. Tier A, it was not, or
// the asked shape lies between no measured pair: a learner over dimensionless features (arithmetic intensity,
// its place beside the ridge, work of an SM, occupancy, waves, share of L2) gives it, so that only what the
// target's data sheet does not say is learned. Which learner a family takes, cross-validation says: each GPU
// of the training left out in turn (by shapes where there is one). One model per library's kernel and data
// type, since kernels must match what runs.
//
// The publication gives neither the sweep, nor settings of the learners, nor the form of the collectives:
// those are ours. Collectives: a time to start and a bandwidth for each GPU, kind and number of ranks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/baselines/cell_lookup.h"
#include "warploom/baselines/interpolation.h"
#include "warploom/baselines/kernelsight/efficiency_learner.h"
#include "warploom/baselines/method_model.h"

namespace warploom::baselines {

// The kernel of one library: tier A.
struct KernelSightKernel {
  double floor = 0;  // t0 [s]
  EfficiencyLearner learner;
};

// Collectives of one GPU, kind and number of ranks.
struct KernelSightLink {
  double start = 0, seconds_per_byte = 0;
};

// What was learned of a family.
struct KernelSightFamily {
  std::optional<LearnerKind> learner;  // none: collectives, and families of too few rows for a learner
  std::vector<std::string> gpus;       // swept, in order
  std::uint64_t rows = 0;
};

struct KernelSightParts {
  std::unordered_map<std::uint64_t, KernelSightKernel> kernels;  // by Circle::Library
  std::unordered_map<std::uint64_t, GridInterpolator> surfaces;  // ln efficiency, by Circle::Cell
  std::unordered_map<std::uint64_t, std::uint64_t> newest;       // Circle::Release to a cell
  std::unordered_map<std::uint64_t, std::uint64_t> usual;        // plain_variant to a library of `kernels`
  std::unordered_map<std::uint64_t, KernelSightLink> links;      // by link_key
  std::map<Family, KernelSightFamily> families;
};

// Family and data types; where the weights lay does not count.
std::uint64_t plain_variant(const Operator& op);
std::uint64_t link_key(const Collective& op, const GpuSpec& gpu);
// T of tier A.
double predicted_seconds(const EfficiencyLearner& learner, const EfficiencyView& view, double floor);

// A question that names no library, as one composed from a model's sizes alone, is answered in tier A by the
// library with the most rows of its family and data types.
class KernelSightModel final : public MethodModel {
 public:
  // Every cell that `newest` names is one of `surfaces`, every library of `usual` one of `kernels`.
  explicit KernelSightModel(KernelSightParts parts) : parts_(std::move(parts)) {}

  std::string lacks(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const override;
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;

  const std::map<Family, KernelSightFamily>& families() const { return parts_.families; }

  // The same bytes for the same model.
  void write(ByteWriter& writer) const;
  // Throws InvalidInput naming `where` on records that could give no answer.
  static KernelSightModel read(ByteReader& reader, std::string_view where);

 private:
  const GridInterpolator* surface(const CircleKeys& keys) const;
  const KernelSightKernel* kernel(const Operator& op, const CircleKeys& keys,
                                  const KernelContext& context) const;

  KernelSightParts parts_;
};

}  // namespace warploom::baselines
