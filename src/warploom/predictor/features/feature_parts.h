// The functions that fill each family's features.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "warploom/kernels/gemm_model.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/power_limit.h"
#include "warploom/predictor/features/operator_features.h"
#include "warploom/predictor/structure/base_constants.h"
#include "warploom/predictor/structure/known_kernel.h"
#include "warploom/predictor/structure/structural_terms.h"

namespace warploom::features {

GemmModel gemm_model(MatmulScheme scheme, const GpuSpec& gpu, const BaseConstants& fitted);
void add_gemm(const Gemm& op, const GpuSpec& gpu, const GemmModel& model, OperatorFeatures& row);
// For KnownKernel::BlockScaledFp8Hopper; fewer features than add_gemm.
void add_gemm_fp8_hopper(const Gemm& op, const GpuSpec& gpu, const BaseConstants& fitted,
                         OperatorFeatures& row);
void add_attention_prefill(const AttentionPrefill& op, const GpuSpec& gpu, const ContextKernel& kernel,
                           const BaseConstants& fitted, OperatorFeatures& row);
void add_attention_decode(const AttentionDecode& op, const GpuSpec& gpu, const ContextKernel& kernel,
                          const BaseConstants& fitted, OperatorFeatures& row);
void add_mla_prefill(const MlaPrefill& op, const GpuSpec& gpu, const KernelHints& hints,
                     const BaseConstants& fitted, OperatorFeatures& row);
void add_mla_decode(const MlaDecode& op, const GpuSpec& gpu, const KernelHints& hints,
                    const BaseConstants& fitted, OperatorFeatures& row);
void add_mla_module(const MlaModule& op, const GpuSpec& gpu, const BaseConstants& fitted,
                    OperatorFeatures& row);
std::uint32_t moe_design(const FusedMoe& op);
// `sustained`: sustained_rate_share of the GPU.
void add_moe(const FusedMoe& op, const GpuSpec& gpu, const ContextKernel& kernel, const RoutingLoad& routed,
             double sustained, const BaseConstants& fitted, OperatorFeatures& row);
void add_linear_attention(const LinearAttention& op, const GpuSpec& gpu, const BaseConstants& fitted,
                          OperatorFeatures& row);
void add_collective(const Collective& op, const GpuSpec& gpu, const BaseConstants& fitted,
                    OperatorFeatures& row);
// Operators that stream their data once: normalisation, activation, rotary, copies, quantisation.
void add_stream(const Operator& op, const GpuSpec& gpu, const BaseConstants& fitted, OperatorFeatures& row);

// Share of the data-sheet matrix rate that long kernels sustain under the power limit, at the typical
// energies of power_limit.h.
double sustained_rate_share(const GpuSpec& gpu);

}  // namespace warploom::features
