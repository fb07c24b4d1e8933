#include "warploom/serving/engines/kernel_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "warploom/base/error.h"

namespace warploom {
namespace {

struct MoeKernel {
  MatmulScheme scheme;
  std::string_view backend, kernel;
  std::optional<Generation> measured_on{};  // absent: wherever no other entry was measured
};

// What was measured. Of one kernel under several names, that of the GPU's generation.
constexpr std::array<MoeKernel, 20> kVllmMoeKernels{{
    {MatmulScheme::Bf16, "triton", "vllm_fused_moe", Generation::Ampere},
    {MatmulScheme::Bf16, "triton", "vllm_fused_moe", Generation::Blackwell},
    {MatmulScheme::Bf16, "triton", "vllm_unquantizedfusedmoe_triton_tritonexperts"},
    {MatmulScheme::Bf16, "flashinfer_cutlass",
     "vllm_unquantizedfusedmoe_flashinfer_cutlass_flashinferexperts"},
    {MatmulScheme::Bf16, "flashinfer_trtllm", "vllm_unquantizedfusedmoe_flashinfer_trtllm_trtllmbf16experts",
     Generation::Blackwell},
    {MatmulScheme::Fp8, "triton", "vllm_modeloptfp8moe_triton_tritonexperts"},
    {MatmulScheme::Fp8, "flashinfer_cutlass", "vllm_modeloptfp8moe_flashinfer_cutlass_flashinferexperts"},
    {MatmulScheme::Fp8, "flashinfer_trtllm",
     "vllm_modeloptfp8moe_flashinfer_trtllm_trtllmfp8expertsmonolithic", Generation::Blackwell},
    {MatmulScheme::Fp8Block, "triton", "vllm_fp8moe_triton_tritonexperts"},
    {MatmulScheme::Fp8Block, "flashinfer_cutlass", "vllm_fp8moe_flashinfer_cutlass_flashinferexperts"},
    {MatmulScheme::Fp8Block, "flashinfer_trtllm", "vllm_fp8moe_flashinfer_trtllm_trtllmfp8expertsmonolithic"},
    {MatmulScheme::NvFp4, "flashinfer_cutlass",
     "vllm_compressedtensorsw4a4nvfp4moe_flashinfer_cutlass_flashinferexperts", Generation::Blackwell},
    {MatmulScheme::NvFp4, "flashinfer_trtllm",
     "vllm_compressedtensorsw4a4nvfp4moe_flashinfer_trtllm_trtllmnvfp4expertsmonolithic",
     Generation::Blackwell},
    {MatmulScheme::Int4WeightOnly, "marlin", "vllm_compressedtensorswna16marlinmoe_marlin_marlinexperts"},
    {MatmulScheme::MxFp4A16, "triton", "vllm_gptossmxfp4moe_triton_oaitritonmxfp4expertsmonolithic"},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_compressedtensorsw4a4mxfp4moe_marlin_marlinexperts_situ_as_silu",
     Generation::Hopper},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_compressedtensorsw4a4mxfp4moe_marlin_marlinexperts",
     Generation::Blackwell},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_gptossmxfp4moe_marlin_marlinexperts"},
    {MatmulScheme::MxFp4A16, "flashinfer_trtllm",
     "vllm_gptossmxfp4moe_flashinfer_trtllm_mxfp4_bf16_trtllmmxfp4expertsmonolithic", Generation::Blackwell},
    {MatmulScheme::MxFp4A8, "flashinfer_trtllm",
     "vllm_mxfp4moe_flashinfer_trtllm_mxfp4_mxfp8_trtllmmxfp4expertsmodular"},
}};

constexpr std::array<MoeKernel, 11> kSglangMoeKernels{{
    {MatmulScheme::Bf16, "triton", "sglang_fused_moe_triton"},
    {MatmulScheme::Bf16, "flashinfer_cutlass", "sglang_flashinfer_cutlass_moe"},
    {MatmulScheme::Bf16, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
    {MatmulScheme::Fp8Block, "triton", "sglang_fused_moe_triton"},
    {MatmulScheme::Fp8Block, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
    {MatmulScheme::NvFp4, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
    {MatmulScheme::Int4WeightOnly, "marlin", "sglang_marlin_moe"},
    {MatmulScheme::MxFp4A16, "triton", "sglang_fused_moe_triton"},
    {MatmulScheme::MxFp4A16, "marlin", "sglang_marlin_moe"},
    {MatmulScheme::MxFp4A16, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
    {MatmulScheme::MxFp4A8, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
}};

template <std::size_t N>
std::string_view measured_kernel(const std::array<MoeKernel, N>& kernels, std::string_view backend,
                                 const FusedMoe& op, const GpuSpec& gpu) {
  const auto* at = std::find_if(kernels.begin(), kernels.end(), [&](const MoeKernel& entry) {
    return entry.scheme == op.scheme && entry.backend == backend &&
           entry.measured_on.value_or(gpu.generation) == gpu.generation;
  });
  return at == kernels.end() ? std::string_view() : at->kernel;
}

[[noreturn]] void throw_unmeasured(std::string_view option, std::string_view backend, const FusedMoe& op,
                                   const GpuSpec& gpu) {
  throw Unsupported(
      fmt::format("{} '{}' is not modelled: it was never measured with experts in {} on GPUs "
                  "like {}, expected auto",
                  option, backend, name_of(op.scheme), gpu.name));
}

std::string_view automatic_backend(const FusedMoe& op, const GpuSpec& gpu) {
  if (op.scheme != MatmulScheme::Fp8Block) return {};
  if (gpu.generation == Generation::Hopper) return op.expert_parallel > 1 ? "flashinfer_cutlass" : "triton";
  return gpu.generation == Generation::Blackwell ? "flashinfer_trtllm" : "";
}

}  // namespace

std::string_view vllm_moe_kernel(std::string_view backend, const FusedMoe& op, const GpuSpec& gpu) {
  const std::string_view kernel =
      measured_kernel(kVllmMoeKernels, backend == "auto" ? automatic_backend(op, gpu) : backend, op, gpu);
  if (kernel.empty() && backend != "auto") throw_unmeasured("moe_backend", backend, op, gpu);
  return kernel;
}

KernelContext KernelNames::of(const Operator& op, const GpuSpec& gpu) const {
  KernelContext context{.framework = framework, .version = version, .kernel = {}};
  const auto* experts = std::get_if<FusedMoe>(&op);
  const auto* collective = std::get_if<Collective>(&op);
  if (collective != nullptr &&
      (collective->kind == CollectiveKind::Dispatch || collective->kind == CollectiveKind::Combine)) {
    context.kernel = deepep_kernel(expert_transport, *collective);
    if (!context.kernel.empty()) return {.framework = "sglang", .version = {}, .kernel = context.kernel};
  }
  if (collective != nullptr) context.kernel = custom_allreduce(framework, *collective, gpu);
  if (experts != nullptr && framework == "vllm") context.kernel = vllm_moe_kernel(moe_backend, *experts, gpu);
  KernelContext other;
  if (experts != nullptr) other = other_moe_kernel(framework, moe_backend, *experts, gpu);
  if (const auto* product = std::get_if<Gemm>(&op); product != nullptr && framework == "sglang")
    other = sglang_fp8_kernel(fp8_gemm_backend, *product, gpu);
  return other.kernel.empty() ? context : other;
}

KernelContext other_moe_kernel(std::string_view framework, std::string_view backend, const FusedMoe& op,
                               const GpuSpec& gpu) {
  if (backend == "auto" || (framework != "sglang" && framework != "trtllm")) return {};
  const bool sglang = framework == "sglang";
  const bool mxfp4 = op.scheme == MatmulScheme::MxFp4A8 || op.scheme == MatmulScheme::MxFp4A16;
  const bool generated = backend == "flashinfer_trtllm" && gpu.generation == Generation::Blackwell;
  if (!sglang && generated && mxfp4) return {};  // what TensorRT-LLM takes there by itself
  const std::string_view kernel =
      sglang || generated ? measured_kernel(kSglangMoeKernels, backend, op, gpu) : std::string_view();
  if (kernel.empty()) throw_unmeasured(sglang ? "moe_runner_backend" : "moe_backend", backend, op, gpu);
  return {"sglang", {}, kernel};
}

KernelContext sglang_fp8_kernel(std::string_view backend, const Gemm& op, const GpuSpec& gpu) {
  if (backend != "flashinfer_trtllm" || op.scheme != MatmulScheme::Fp8Block) return {};
  if (gpu.generation != Generation::Blackwell)
    throw Unsupported(
        fmt::format("fp8_gemm_backend '{}' is not modelled on {}: it runs on data-centre "
                    "Blackwell alone, expected auto or deep_gemm",
                    backend, gpu.name));
  return {"trtllm", {}, "deepgemm"};
}

void check_fp8_gemm_backend(std::string_view backend) {
  constexpr std::array<std::string_view, 3> kKnown{"auto", "deep_gemm", "flashinfer_trtllm"};
  if (std::find(kKnown.begin(), kKnown.end(), backend) != kKnown.end()) return;
  throw InvalidInput(fmt::format("fp8_gemm_backend: '{}' is not measured, expected one of: {}", backend,
                                 fmt::join(kKnown, ", ")));
}

std::string_view custom_allreduce(std::string_view framework, const Collective& op, const GpuSpec& gpu) {
  constexpr double kMostBytes = 8.0 * 1024 * 1024;
  constexpr std::int64_t kMostRanks = 8;
  const bool fits = op.kind == CollectiveKind::AllReduce && op.size.value() <= kMostBytes &&
                    op.ranks <= kMostRanks && op.ranks_per_node == 0 && gpu.link_bandwidth.value() > 0;
  if (!fits) return {};
  if (framework == "vllm") return "vLLM_custom_graph";
  return framework == "sglang" ? "SGLang_CustomAllReduce_graph" : std::string_view();
}

std::string_view deepep_kernel(ExpertTransport transport, const Collective& op) {
  constexpr std::string_view kNormal = "deepep_normal_sms20", kLowLatency = "deepep_low_latency";
  switch (transport) {
    case ExpertTransport::DeepEpNormal:
      return kNormal;
    case ExpertTransport::DeepEpLowLatency:
      return kLowLatency;
    case ExpertTransport::DeepEpAuto: {
      // SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK: what the low-latency buffers hold.
      constexpr double kMostTokens = 128;
      const double bytes = op.token_bytes.value() * double(std::max<std::int64_t>(1, op.top_k));
      return op.size.value() <= kMostTokens * bytes ? kLowLatency : kNormal;
    }
    default:
      return {};
  }
}

void check_moe_backend(std::string_view backend) {
  constexpr std::array<std::string_view, 5> kKnown{"auto", "triton", "flashinfer_cutlass",
                                                   "flashinfer_trtllm", "marlin"};
  if (std::find(kKnown.begin(), kKnown.end(), backend) != kKnown.end()) return;
  throw InvalidInput(fmt::format("moe_backend: '{}' is not measured, expected one of: {}", backend,
                                 fmt::join(kKnown, ", ")));
}

}  // namespace warploom
