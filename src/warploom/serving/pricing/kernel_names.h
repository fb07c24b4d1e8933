// Whose kernels a serving run is priced with, and what engines share in naming them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// What carries tokens to experts on other GPUs under data-parallel attention: an all-gather and a
// reduce-scatter, or dispatch and combine: DeepEP's (Auto: the low-latency kernels for the few tokens of
// decoding, the normal ones for prompts, as SGLang), an engine's own over a rack's NVLink, or the kernel of
// the experts itself (MegaMoE).
enum class ExpertTransport {
  Collectives,
  DeepEpNormal,
  DeepEpLowLatency,
  DeepEpAuto,
  NvLinkAllToAll,
  MegaMoe
};

// The experts of DeepGEMM, measured under TensorRT-LLM's name alone.
inline constexpr std::string_view kDeepGemm = "deepgemm";

// What is known before an operator is. `framework` and `version` are those of the measured data.
struct KernelNames {
  std::string framework, version;  // version empty: unknown
  std::string moe_backend = "auto", fp8_gemm_backend = "auto", gdn_prefill_backend = "auto";
  ExpertTransport expert_transport = ExpertTransport::Collectives;

  // How the engine names its kernels (EngineSpec::kernel); null: whatever was measured as the default.
  KernelContext (*rule)(const KernelNames& names, const Operator& op, const GpuSpec& gpu) = nullptr;

  // The kernel of an operator. Views into this object and into constants. Throws Unsupported as the rule
  // does.
  KernelContext of(const Operator& op, const GpuSpec& gpu) const;
  KernelContext default_kernel() const { return {.framework = framework, .version = version, .kernel = {}}; }
};

// A measured kernel of fused experts. Of fused experts engines have several implementations beside each
// other, and choose by scheme, GPU and parallelism.
struct MoeKernel {
  MatmulScheme scheme;
  std::string_view backend, kernel;
  std::optional<Generation> measured_on{};  // absent: wherever no other entry was measured
};

// The first entry for the backend, the operator's scheme and the GPU; empty when there is none. Of one kernel
// under several names, that of the GPU's generation comes first.
std::string_view measured_kernel(std::span<const MoeKernel> kernels, std::string_view backend,
                                 const FusedMoe& op, const GpuSpec& gpu);
// Throws Unsupported: `backend`, asked for by the flag `option`, was never measured with the operator.
[[noreturn]] void throw_unmeasured(std::string_view option, std::string_view backend, const FusedMoe& op,
                                   const GpuSpec& gpu);

// Whether engines reduce by a kernel of their own (custom_all_reduce.cuh): up to 8 MiB within an NVLink
// domain, also on GPUs where NCCL alone was measured.
bool reduces_in_own_kernel(const Collective& op, const GpuSpec& gpu);

// The measured kernel of a dispatch or combine; empty for Collectives. Normal kernels on 20 SMs, DeepEP's
// default.
std::string_view deepep_kernel(ExpertTransport transport, const Collective& op);

}  // namespace warploom
