#include "warploom/tuned_files/opened_when.h"

#include "warploom/hardware/gpu_class.h"

namespace warploom {
namespace {

// Parts for which the libraries have experts of their own, Hopper among them.
bool has_library_experts(const GpuSpec& gpu) { return gpu.compute_capability >= 90; }

std::string vllm_experts(const GpuSpec& gpu, const FusedMoe& experts) {
  if (gpu.vendor == Vendor::Amd) return "AITER is off";
  if (experts.scheme == MatmulScheme::Int4WeightOnly || experts.scheme == MatmulScheme::Int8WeightOnly)
    return "--moe-backend triton: Marlin comes first";
  const bool wide = experts.scheme == MatmulScheme::Bf16 || experts.scheme == MatmulScheme::Fp16;
  const bool blocks = experts.scheme == MatmulScheme::Fp8Block && experts.expert_parallel == 1;
  if (!has_library_experts(gpu) || (has_wgmma(gpu) && (wide || blocks))) return "always";
  return "--moe-backend triton: kernels of libraries come first on this GPU";
}

}  // namespace

std::string experts_opened(const FileLookUp& asked, const FusedMoe& experts, std::int64_t routed) {
  if (asked.release.engine == MoeEngine::Vllm) return vllm_experts(asked.gpu, experts);
  if (experts.experts != routed) return "shared experts are made routed ones; --moe-runner-backend triton";
  return "--moe-runner-backend triton, or auto where it takes Triton's";
}

std::string product_opened(const FileLookUp& asked) {
  const GpuSpec& gpu = asked.gpu;
  if (gpu.vendor == Vendor::Amd) return "AITER is off";
  if (asked.release.engine == MoeEngine::Vllm)
    return "--linear-backend triton: DeepGEMM, CUTLASS or Marlin come first";
  if (has_library_experts(gpu))
    return "--fp8-gemm-backend triton: DeepGEMM, FlashInfer or CUTLASS come first";
  return "always";
}

}  // namespace warploom
