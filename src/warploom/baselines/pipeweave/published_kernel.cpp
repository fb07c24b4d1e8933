#include "warploom/baselines/pipeweave/published_kernel.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/structural_price.h"

namespace warploom::published {
namespace {

bool is_half(DataType type) { return type == DataType::Bf16 || type == DataType::Fp16; }

KernelChoice choose(const Gemm& op, const GpuSpec& gpu, const KernelContext& context) {
  if (op.batch != 1) return {{}, "batched products are not in the method"};
  if (op.scheme == MatmulScheme::Bf16 || op.scheme == MatmulScheme::Fp16) return {PublishedKernel::Gemm, {}};
  const bool known = known_kernel(context.kernel) == KnownKernel::BlockScaledFp8Hopper;
  if (!known && op.scheme != MatmulScheme::Fp8Block)
    return {{}, "the method has products of 16 bits and block-scaled fp8 alone"};
  if (!known && !context.kernel.empty())
    return {{}, "the method has the block-scaled fp8 product of CUTLASS alone"};
  if (!has_wgmma(gpu)) return {{}, "the method has block-scaled fp8 products on Hopper alone"};
  return {PublishedKernel::GemmFp8, {}};
}

KernelChoice attention_of(AttentionLibrary library, const GpuSpec& gpu) {
  switch (library) {
    case AttentionLibrary::FlashAttention3:
      if (!has_wgmma(gpu)) return {{}, "FlashAttention-3 is in the method on Hopper alone"};
      return {PublishedKernel::AttentionFa3, {}};
    case AttentionLibrary::FlashAttention2:
      return {PublishedKernel::AttentionFa2, {}};
    case AttentionLibrary::FlashInfer:
      return {has_tensor_memory(gpu) ? PublishedKernel::AttentionCutlass : PublishedKernel::AttentionFa2, {}};
    case AttentionLibrary::FlashAttention:
    case AttentionLibrary::Unknown:
      if (gpu.vendor == Vendor::Amd) return {PublishedKernel::AttentionCk, {}};
      if (has_tensor_memory(gpu)) return {PublishedKernel::AttentionCutlass, {}};
      return {has_wgmma(gpu) ? PublishedKernel::AttentionFa3 : PublishedKernel::AttentionFa2, {}};
    default:
      return {{}, "the method has no features of this attention library"};
  }
}

template <class Attention>
KernelChoice choose_attention(const Attention& op, const GpuSpec& gpu, const KernelContext& context) {
  if (!is_half(op.compute) || !is_half(op.kv_cache)) return {{}, "the method has 16-bit attention alone"};
  if (op.window > 0) return {{}, "the method has no attention with a window"};
  const KernelChoice choice = attention_of(kernel_hints(context).attention, gpu);
  const bool decode = std::is_same_v<Attention, AttentionDecode>;
  if (!decode || context.kernel.ends_with("paged") || !choice.kernel) return choice;
  // Tokens of one query are priced as FlashAttention-2 on Hopper too: its published features alone know that
  // a long cache is cut among blocks.
  if (*choice.kernel == PublishedKernel::AttentionFa3) return {PublishedKernel::AttentionFa2, {}};
  if (*choice.kernel == PublishedKernel::AttentionCutlass)
    return {{}, "the method has prompts alone in CUTLASS's attention"};
  return choice;
}

KernelChoice choose(const FusedMoe& op, const KernelContext& context) {
  if (op.scheme != MatmulScheme::Bf16) return {{}, "the method has 16-bit experts alone"};
  if (op.pass == MoePass::Both) return {{}, "the method has one pass of the experts' kernel, not a layer"};
  if (op.routing != RoutingKind::Balanced) return {{}, "the method has balanced experts alone"};
  if (op.expert_parallel != 1) return {{}, "the method has no experts spread over GPUs"};
  const KnownKernel known = known_kernel(context.kernel);
  if (!context.kernel.empty() && known != KnownKernel::MoeTriton)
    return {{}, "the method has the Triton kernel of experts alone"};
  return {PublishedKernel::FusedMoe, {}};
}

Features gemm_of_structure(const Gemm& op, const GpuSpec& gpu, const Hardware& hardware) {
  const StructuralPrice price = structural_price(op, gpu, GemmModel(op.scheme, gpu));
  constexpr std::int64_t kDepth = 64;  // elements of 128 bytes, a step of the loop
  GemmLaunch launch{.tile_m = std::int64_t(price.tile_rows),
                    .tile_n = std::int64_t(price.tile_columns),
                    .tile_k = kDepth,
                    .blocks = std::int64_t(price.tasks),
                    .split_k = price.splits > 1};
  // Persistent blocks: a profile shows as many as there are SMs.
  if (hardware.hopper && !launch.split_k) launch.blocks = std::min<std::int64_t>(launch.blocks, gpu.sm_count);
  return gemm(op.m, op.n, op.k, launch, hardware);
}

}  // namespace

KernelChoice published_kernel(const Operator& op, const GpuSpec& gpu, const KernelContext& context) {
  return std::visit(
      [&](const auto& held) -> KernelChoice {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, Gemm>) {
          return choose(held, gpu, context);
        } else if constexpr (std::is_same_v<T, AttentionPrefill>) {
          if (!held.causal) return {{}, "the method has causal attention alone"};
          return choose_attention(held, gpu, context);
        } else if constexpr (std::is_same_v<T, AttentionDecode>) {
          return choose_attention(held, gpu, context);
        } else if constexpr (std::is_same_v<T, FusedMoe>) {
          return choose(held, context);
        } else if constexpr (std::is_same_v<T, RmsNorm>) {
          if (held.layer_norm || !is_half(held.type)) return {{}, "the method has 16-bit RMSNorm alone"};
          return {PublishedKernel::RmsNorm, {}};
        } else if constexpr (std::is_same_v<T, Activation>) {
          if (!held.gated || !is_half(held.type)) return {{}, "the method has 16-bit SiLU-and-mul alone"};
          return {PublishedKernel::SiluAndMul, {}};
        } else {
          return {{}, "the method has no features of this family"};
        }
      },
      op);
}

Features features_of_kernel(PublishedKernel kernel, const Operator& op, const GpuSpec& gpu,
                            const KernelContext& context) {
  const Hardware hardware = Hardware::of(gpu);
  switch (kernel) {
    case PublishedKernel::Gemm:
      return gemm_of_structure(std::get<Gemm>(op), gpu, hardware);
    case PublishedKernel::GemmFp8: {
      const auto& held = std::get<Gemm>(op);
      return gemm_fp8(held.m, held.n, held.k, hardware);
    }
    case PublishedKernel::RmsNorm: {
      const auto& held = std::get<RmsNorm>(op);
      return rmsnorm(held.tokens, held.width, hardware);
    }
    case PublishedKernel::SiluAndMul: {
      const auto& held = std::get<Activation>(op);
      return silu_and_mul(held.tokens, 2 * held.width, hardware);
    }
    case PublishedKernel::FusedMoe: {
      const auto& held = std::get<FusedMoe>(op);
      const std::int64_t inner = held.intermediate / held.tensor_parallel;
      const std::int64_t gates = held.gated ? 2 * inner : inner;
      const bool down = held.pass == MoePass::Down;
      return moe_pass({.tokens = held.tokens,
                       .experts = held.experts,
                       .top_k = held.top_k,
                       .hidden = held.hidden,
                       .width = down ? held.hidden : gates,
                       .depth = down ? inner : held.hidden},
                      hardware);
    }
    default:
      return attention_features(kernel, op, hardware, context);
  }
}

}  // namespace warploom::published
