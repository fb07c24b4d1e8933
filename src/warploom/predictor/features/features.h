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

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/base_constants.h"
#include "warploom/kernels/gemm/gemm_model.h"
#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/predictor/features/operator_features.h"

namespace warploom {

// Changes whenever the meaning, order or number of features of any family changes; model files carry it.
inline constexpr int kFeatureVersion = 10;

// Fills the operator's features, then kGpuFeatures features of the GPU. The count depends on the family
// alone. Needs a checked operator.
void compute_features(const Operator& op, const GpuSpec& gpu, const BaseConstants& fitted,
                      OperatorFeatures& row);
// The same for the kernel that a context names: its tile rules, and its exact structure where it is known and
// describes the operator. Unused slots of
// the family are 0.
void compute_features(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                      const BaseConstants& fitted, OperatorFeatures& row);
void compute_features(const Operator& op, const GpuSpec& gpu, OperatorFeatures& row);  // default_constants
inline constexpr int kGpuFeatures = 6;

// What features ask of a GPU alone, worked out once.
struct GpuFeatures {
  explicit GpuFeatures(const GpuSpec& gpu);
  double sustained;                          // sustained_rate_share
  std::array<float, kGpuFeatures> values{};  // the last features of every row
};
// A GPU with what is known of it; `gemm` is the model of the operator's scheme, nullptr: it is made.
struct KnownGpu {
  const GpuSpec& gpu;
  const GpuFeatures& features;
  const GemmModel* gemm = nullptr;
};
// What compute_features gives, to the last bit.
void compute_features(const Operator& op, const KnownGpu& known, const ContextKernel& kernel,
                      const BaseConstants& fitted, OperatorFeatures& row);

// What operators of one family and kind share on one GPU, worked out once for many of them. Refers to the GPU
// and the constants.
class FeaturePlan {
 public:
  FeaturePlan(const Operator& example, const GpuSpec& gpu, const ContextKernel& kernel,
              const BaseConstants& fitted);
  // What compute_features gives, to the last bit. `op` has the example's family and kind_code.
  void compute(const Operator& op, OperatorFeatures& row) const;

 private:
  const GpuSpec& gpu_;
  ContextKernel kernel_;
  const BaseConstants& fitted_;
  std::optional<GemmModel> gemm_;
  GpuFeatures of_gpu_;
};

// OperatorFeatures::layer of an operator.
std::uint32_t layer_of(const Operator& op);

}  // namespace warploom
