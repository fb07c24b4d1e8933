// Which kernel of the published method an operator is. The method has one network for each.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/baselines/pipeweave/published_features.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"

namespace warploom::published {

enum class PublishedKernel {
  Gemm,     // 16-bit products of cuBLAS
  GemmFp8,  // block-scaled fp8 products on Hopper
  AttentionFa2,
  AttentionFa3,
  AttentionCutlass,
  AttentionCk,
  RmsNorm,
  SiluAndMul,
  FusedMoe  // one pass of the Triton kernel
};

struct KernelChoice {
  std::optional<PublishedKernel> kernel;
  std::string_view reason;  // why none; a constant
};

// By the operator and by the library that the context names, where it names one: FlashAttention-3 is the
// default on Hopper, FlashAttention-2 elsewhere, CUTLASS on data-centre Blackwell, CK on AMD. Decode on
// Hopper is FlashAttention-2, as the publication composes steps.
KernelChoice published_kernel(const Operator& op, const GpuSpec& gpu, const KernelContext& context);

// The features of an operator that is this kernel. The tile of a 16-bit product is the one that our
// structural model prices (kernels/structural_price.h), where the publication takes it from a profile.
Features features_of_kernel(PublishedKernel kernel, const Operator& op, const GpuSpec& gpu,
                            const KernelContext& context);

// The features of an operator, as the kernel that published_kernel says. Throws Unsupported where it says
// none.
Features features(const Operator& op, const GpuSpec& gpu, const KernelContext& context = {});
// Those of one of the attention kernels, for AttentionPrefill or AttentionDecode. Keys lie in pages unless
// the context's kernel ends in "ragged", or of prompts unless it ends in "paged".
Features attention_features(PublishedKernel kernel, const Operator& op, const Hardware& gpu,
                            const KernelContext& context);

}  // namespace warploom::published

namespace warploom {
template <>
struct EnumNames<published::PublishedKernel> {
  using Kernel = published::PublishedKernel;
  static constexpr std::array<std::pair<Kernel, std::string_view>, 9> kNames{
      {{Kernel::Gemm, "gemm"},
       {Kernel::GemmFp8, "gemm_fp8"},
       {Kernel::AttentionFa2, "attention_fa2"},
       {Kernel::AttentionFa3, "attention_fa3"},
       {Kernel::AttentionCutlass, "attention_cutlass"},
       {Kernel::AttentionCk, "attention_ck"},
       {Kernel::RmsNorm, "rmsnorm"},
       {Kernel::SiluAndMul, "silu_and_mul"},
       {Kernel::FusedMoe, "fused_moe"}}};
};
}  // namespace warploom
