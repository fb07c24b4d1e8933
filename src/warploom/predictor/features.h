// The inputs of the learners: a physical base time and dimensionless features of one operator on one GPU.
//
// The base is a short structural model (tiles, waves, cache residency, launch floor); the learners predict
// ln(latency / base). Features are ratios to that base, wave counts and fills, and log2 of sizes, so that
// another GPU is mostly interpolation. No heap allocation; a few hundred nanoseconds. Thread-safe (pure
// functions).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/gemm_model.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/operator.h"
#include "warploom/predictor/base_constants.h"
#include "warploom/predictor/known_kernel.h"

namespace warploom {

// Slots of a row: features, and one at the end that the trees keep for themselves.
inline constexpr int kMaxFeatures = 63;

struct FeatureRow {
  std::array<float, kMaxFeatures + 1> values;  // the first `count` are set
  int count = 0;
  double log_base = 0;  // ln of the base time in seconds
  double rows = 0;      // of a product's result; 0 where work per row means nothing
  // Identity of the sizes that a network's design fixes (mixture of experts: hidden, intermediate, top-k,
  // experts); 0: the family has no such notion. Slots of features that mostly tell designs apart.
  std::uint32_t design = 0;
  std::uint64_t design_slots = 0;
  RoutingLoad routing;  // of a FusedMoe; else of an operator before it

  void clear() {
    count = pending_count = 0;
    rows = 0;
    design = 0;
    design_slots = 0;
  }
  void add(double value) { values[std::size_t(count++)] = static_cast<float>(value); }
  // log2, values below 1e-12 count as 1e-12. The slot is filled by take_logs.
  void add_log2(double value) {
    pending[std::size_t(pending_count)] = static_cast<float>(value > 1e-12 ? value : 1e-12);
    pending_slots[std::size_t(pending_count++)] = static_cast<std::uint8_t>(count++);
  }
  // The same for a size that tells designs apart.
  void add_design_log2(double value) {
    design_slots |= std::uint64_t(1) << count;
    add_log2(value);
  }
  // Takes all logarithms at once: several times faster than one by one.
  void take_logs();

  alignas(64) std::array<float, kMaxFeatures + 1> pending;
  std::array<std::uint8_t, kMaxFeatures + 1> pending_slots;
  int pending_count = 0;
};

// Changes whenever the meaning, order or number of features of any family changes; model files carry it.
inline constexpr int kFeatureVersion = 10;

// Fills the operator's features, then kGpuFeatures features of the GPU. The count depends on the family
// alone. Needs a checked operator.
void compute_features(const Operator& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row);
// The same for the kernel that a context names: its tile rules, and its exact structure where it is known and
// describes the operator. Unused slots of
// the family are 0.
void compute_features(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                      const BaseConstants& fitted, FeatureRow& row);
void compute_features(const Operator& op, const GpuSpec& gpu, FeatureRow& row);  // default_constants
inline constexpr int kGpuFeatures = 6;

// What operators of one family and kind share on one GPU, worked out once for many of them. Refers to the GPU
// and the constants.
class FeaturePlan {
 public:
  FeaturePlan(const Operator& example, const GpuSpec& gpu, const ContextKernel& kernel,
              const BaseConstants& fitted);
  // What compute_features gives, to the last bit. `op` has the example's family and kind_code.
  void compute(const Operator& op, FeatureRow& row) const;

 private:
  const GpuSpec& gpu_;
  ContextKernel kernel_;
  const BaseConstants& fitted_;
  std::optional<GemmModel> gemm_;
  std::array<float, kGpuFeatures> of_gpu_{};
  double sustained_;  // features::sustained_rate_share
};

// FeatureRow::design of an operator.
std::uint32_t design_of(const Operator& op);

// The kind of arithmetic: data types and the variant of the operator, without sizes. Rows of one GPU, kernel
// context and kind form a cell. At most 16 bits.
std::uint32_t kind_code(const Operator& op);

// GPUs whose kernels are built alike: the key of "a generation never measured".
// GA10x parts (compute capability 86) count with Ada, whose SM they share.
int architecture_class(const GpuSpec& gpu);
inline constexpr int kFirstAmdArchitecture = 1003;

}  // namespace warploom
