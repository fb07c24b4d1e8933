#include "warploom/serving/kernel_names.h"

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
constexpr std::array<MoeKernel, 8> kVllmMoeKernels{{
    {MatmulScheme::Fp8Block, "triton", "vllm_fp8moe_triton_tritonexperts"},
    {MatmulScheme::Fp8Block, "flashinfer_cutlass", "vllm_fp8moe_flashinfer_cutlass_flashinferexperts"},
    {MatmulScheme::Fp8Block, "flashinfer_trtllm", "vllm_fp8moe_flashinfer_trtllm_trtllmfp8expertsmonolithic"},
    {MatmulScheme::MxFp4A16, "triton", "vllm_gptossmxfp4moe_triton_oaitritonmxfp4expertsmonolithic"},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_compressedtensorsw4a4mxfp4moe_marlin_marlinexperts_situ_as_silu",
     Generation::Hopper},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_compressedtensorsw4a4mxfp4moe_marlin_marlinexperts",
     Generation::Blackwell},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_gptossmxfp4moe_marlin_marlinexperts"},
    {MatmulScheme::MxFp4A8, "flashinfer_trtllm",
     "vllm_mxfp4moe_flashinfer_trtllm_mxfp4_mxfp8_trtllmmxfp4expertsmodular"},
}};

std::string_view automatic_backend(const FusedMoe& op, const GpuSpec& gpu) {
  if (op.scheme != MatmulScheme::Fp8Block) return {};
  if (gpu.generation == Generation::Hopper) return op.expert_parallel > 1 ? "flashinfer_cutlass" : "triton";
  return gpu.generation == Generation::Blackwell ? "flashinfer_trtllm" : "";
}

}  // namespace

std::string_view vllm_moe_kernel(std::string_view backend, const FusedMoe& op, const GpuSpec& gpu) {
  const std::string_view wanted = backend == "auto" ? automatic_backend(op, gpu) : backend;
  const auto* at = std::find_if(kVllmMoeKernels.begin(), kVllmMoeKernels.end(), [&](const MoeKernel& entry) {
    return entry.scheme == op.scheme && entry.backend == wanted &&
           entry.measured_on.value_or(gpu.generation) == gpu.generation;
  });
  if (at != kVllmMoeKernels.end()) return at->kernel;
  if (backend != "auto")
    throw Unsupported(fmt::format("moe_backend: '{}' was never measured with experts in {}, expected auto",
                                  backend, name_of(op.scheme)));
  return {};
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
  if (op.scheme != MatmulScheme::Fp8Block) return {};
  const bool sglang = framework == "sglang";
  if (sglang && backend == "triton") return {"sglang", {}, "sglang_fused_moe_triton"};
  if ((sglang || framework == "trtllm") && backend == "flashinfer_trtllm" &&
      gpu.generation == Generation::Blackwell)
    return {"sglang", {}, "sglang_flashinfer_trtllm_moe"};
  return {};
}

KernelContext sglang_fp8_kernel(std::string_view backend, const Gemm& op, const GpuSpec& gpu) {
  if (backend != "flashinfer_trtllm" || op.scheme != MatmulScheme::Fp8Block ||
      gpu.generation != Generation::Blackwell)
    return {};
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
