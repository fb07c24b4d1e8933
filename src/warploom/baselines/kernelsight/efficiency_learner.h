// What KernelSight-LM learns: the efficiency of a kernel by dimensionless features of the call.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/byte_stream.h"
#include "warploom/base/fields.h"
#include "warploom/baselines/network/dense_network.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"
#include "warploom/learning/tree_ensemble.h"

namespace warploom::baselines {

// The version of the bound and the features; files carry it. A change of either gives it the next number.
inline constexpr int kEfficiencyViewVersion = 3;

// The bound, and the features in the order of kNames; all logarithms, so that each is near 0 for a call that
// fills the GPU.
struct EfficiencyView {
  static constexpr std::size_t kFeatures = 6;
  static constexpr std::array<std::string_view, kFeatures> kNames{
      "intensity", "intensity_over_ridge", "work_per_sm", "occupancy", "waves", "l2_share"};
  std::array<double, kFeatures> features{};
  double bound_seconds = 0;  // LB
};
EfficiencyView efficiency_view(const Operator& op, const GpuSpec& gpu);

enum class LearnerKind { Linear, Trees, Mlp, Analytic };

struct EfficiencySamples {
  std::vector<EfficiencyView> views;
  std::vector<double> log_efficiency;  // ln(LB / T)
};

// ln efficiency by features.
//   Linear    least squares, a small ridge
//   Trees     boosted, 150 of depth 6
//   Mlp       two hidden layers of 32
//   Analytic  1 / efficiency = a + b / waves + c SMs / tasks, a, b, c >= 0: bounded by 1 / a
class EfficiencyLearner {
 public:
  EfficiencyLearner() = default;
  // Needs at least one sample. Deterministic.
  EfficiencyLearner(LearnerKind kind, const EfficiencySamples& samples, std::uint64_t seed);
  double log_efficiency(const EfficiencyView& view) const;

  void write(ByteWriter& writer) const;
  // Throws InvalidInput naming `where` on a learner that could give no number.
  static EfficiencyLearner read(ByteReader& reader, std::string_view where);

 private:
  LearnerKind kind_ = LearnerKind::Linear;
  std::vector<double> coefficients_;
  std::string encoded_trees_;
  TreeEnsemble trees_;
  DenseNetwork network_;
  double low_ = 0, high_ = 0;  // of the samples: answers stay within
};

}  // namespace warploom::baselines

namespace warploom {
template <>
struct EnumNames<baselines::LearnerKind> {
  using Kind = baselines::LearnerKind;
  static constexpr std::array<std::pair<Kind, std::string_view>, 4> kNames{
      {{Kind::Linear, "linear"}, {Kind::Trees, "trees"}, {Kind::Mlp, "mlp"}, {Kind::Analytic, "analytic"}}};
};
}  // namespace warploom
