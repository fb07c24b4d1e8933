// The functions that fill each family's features.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "warploom/kernels/base_constants.h"
#include "warploom/kernels/gemm/gemm_model.h"
#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/structural_terms.h"
#include "warploom/predictor/features/operator_features.h"

namespace warploom::features {

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
std::uint32_t moe_layer(const FusedMoe& op);
// `sustained`: sustained_rate_share of the GPU.
void add_moe(const FusedMoe& op, const GpuSpec& gpu, const ContextKernel& kernel, const RoutingLoad& routed,
             double sustained, const BaseConstants& fitted, OperatorFeatures& row);
void add_linear_attention(const LinearAttention& op, const GpuSpec& gpu, const BaseConstants& fitted,
                          OperatorFeatures& row);
void add_collective(const Collective& op, const GpuSpec& gpu, const BaseConstants& fitted,
                    OperatorFeatures& row);
// Operators that stream their data once: normalisation, activation, rotary, copies, quantisation.
void add_stream(const Operator& op, const GpuSpec& gpu, const BaseConstants& fitted, OperatorFeatures& row);

}  // namespace warploom::features
