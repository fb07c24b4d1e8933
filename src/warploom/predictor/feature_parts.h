// What the feature sources share: per-family functions and the constants of the structural bases.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/power_limit.h"
#include "warploom/predictor/base_constants.h"
#include "warploom/predictor/features.h"

namespace warploom::features {

GemmModel gemm_model(MatmulScheme scheme, const GpuSpec& gpu, const BaseConstants& fitted);
void add_gemm(const Gemm& op, const GpuSpec& gpu, const GemmModel& model, FeatureRow& row);
// Of KnownKernel::BlockScaledFp8Hopper; fewer features than add_gemm.
void add_gemm_fp8_hopper(const Gemm& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row);
void add_attention_prefill(const AttentionPrefill& op, const GpuSpec& gpu, const ContextKernel& kernel,
                           const BaseConstants& fitted, FeatureRow& row);
void add_attention_decode(const AttentionDecode& op, const GpuSpec& gpu, const ContextKernel& kernel,
                          const BaseConstants& fitted, FeatureRow& row);
void add_mla_prefill(const MlaPrefill& op, const GpuSpec& gpu, const KernelHints& hints,
                     const BaseConstants& fitted, FeatureRow& row);
void add_mla_decode(const MlaDecode& op, const GpuSpec& gpu, const KernelHints& hints,
                    const BaseConstants& fitted, FeatureRow& row);
void add_mla_module(const MlaModule& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row);
std::uint32_t moe_design(const FusedMoe& op);
// `sustained`: sustained_rate_share of the GPU.
void add_moe(const FusedMoe& op, const GpuSpec& gpu, const ContextKernel& kernel, const RoutingLoad& routed,
             double sustained, const BaseConstants& fitted, FeatureRow& row);
void add_linear_attention(const LinearAttention& op, const GpuSpec& gpu, const BaseConstants& fitted,
                          FeatureRow& row);
void add_collective(const Collective& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row);
// Operators that stream their data once: normalisation, activation, rotary, copies, quantisation.
void add_stream(const Operator& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row);

// The table of each family's base (base_constants.h), declared beside the base that uses it.
std::span<const ConstantSpec> gemm_constants();
// The same followed by those of the known kernels.
std::span<const ConstantSpec> all_gemm_constants();
std::span<const ConstantSpec> attention_prefill_constants();
std::span<const ConstantSpec> attention_decode_constants();
std::span<const ConstantSpec> mla_module_constants();
std::span<const ConstantSpec> moe_constants();
std::span<const ConstantSpec> linear_attention_constants();
std::span<const ConstantSpec> collective_constants();
std::span<const ConstantSpec> stream_constants();

// Share of the data-sheet matrix rate that long kernels sustain under the power limit, at the typical
// energies of power_limit.h.
double sustained_rate_share(const GpuSpec& gpu);

inline constexpr double kDramShare = 0.81;           // of peak bandwidth, streaming reads
inline constexpr double kL2BytesPerClockPerSm = 33;  // sustained reads by all SMs

inline double ceil_div(double a, double b) { return std::ceil(a / b); }
// Share of the last wave of `waves` waves that is filled, in (0, 1].
inline double wave_fill(double waves) { return waves / std::ceil(waves); }
// (a^p + b^p)^(1/p), a and b positive.
inline double power_sum(double a, double b, double p) {
  const double most = std::max(a, b), ratio = std::min(a, b) / most;
  return most * std::pow(1 + std::pow(ratio, p), 1 / p);
}

}  // namespace warploom::features
