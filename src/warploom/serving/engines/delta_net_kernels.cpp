#include "warploom/serving/engines/delta_net_kernels.h"

#include <fmt/format.h>

#include <array>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/serving/engines/version_rows.h"

namespace warploom {
namespace {

// Families of compute capability: 90 stands for Hopper, 10 for sm_100 to sm_103, 12 for sm_120 and sm_121.
constexpr std::int64_t kHopper = 90, kBlackwell = 10, kBlackwellRtx = 12;
constexpr std::int64_t kKeyDim = 128;  // of FlashInfer's and CuTe DSL's kernels on Blackwell

// What a release can run. In tables of 0.24.0 sm_120 ran Triton's; in 0.33.0 FlashInfer's runs there too
// (_resolve_gdn_prefill_backend in model_executor/layers/mamba/gdn/qwen_gdn_linear_attn.py, CUDA 13).
struct DeltaNetVersion {
  std::string_view since, released;
  bool flashinfer_on_rtx;
};
constexpr std::array<DeltaNetVersion, 2> kVersions{
    {{"0.8.0", "20250318", false}, {"0.33.0", "20261102", true}}};

enum class Backend { FlashInfer, Triton, CuteDsl };

bool runs_flashinfer(std::int64_t key_dim, const GpuSpec& gpu, std::string_view version) {
  if (gpu.compute_capability == kHopper) return true;
  if (key_dim != kKeyDim) return false;
  const std::int64_t family = gpu.compute_capability / 10;
  return family == kBlackwell ||
         (family == kBlackwellRtx && row_of_version(kVersions, version).flashinfer_on_rtx);
}

bool runs_cute_dsl(const LinearAttention& op, const GpuSpec& gpu) {
  return op.key_dim == kKeyDim && gpu.compute_capability / 10 == kBlackwell;
}

bool may_run_flashinfer(std::string_view asked) { return asked == "auto" || asked == "flashinfer"; }

// What is asked for and cannot run falls back to Triton's.
Backend backend_of(const KernelNames& names, const LinearAttention& op, const GpuSpec& gpu) {
  const std::string& asked = names.gdn_prefill_backend;
  if (may_run_flashinfer(asked) && runs_flashinfer(op.key_dim, gpu, names.version))
    return Backend::FlashInfer;
  return asked == "cutedsl" && runs_cute_dsl(op, gpu) ? Backend::CuteDsl : Backend::Triton;
}

// The kernels of flash-linear-attention, which both engines hold. Under vLLM's name they were measured on
// graphics parts alone, under SGLang's on all.
KernelContext triton_kernel(const KernelNames& names, const GpuSpec& gpu) {
  KernelContext context = names.default_kernel();
  if (is_graphics_die(gpu)) {
    context.kernel = "chunk_gated_delta_rule_triton";
    return context;
  }
  return {.framework = name_of(Engine::Sglang), .version = {}, .kernel = "chunk_gated_delta_rule"};
}

}  // namespace

bool is_delta_net_scan(const LinearAttention& op) {
  return op.kind == LinearAttentionKind::GatedDeltaNet && op.stage == LinearAttentionStage::Scan;
}

bool runs_flashinfer_delta_nets(std::string_view backend, const GpuSpec& gpu, std::string_view version) {
  return gpu.vendor == Vendor::Nvidia && may_run_flashinfer(backend) &&
         runs_flashinfer(kKeyDim, gpu, version);
}

KernelContext delta_net_kernel(const KernelNames& names, const LinearAttention& op, const GpuSpec& gpu) {
  KernelContext context = names.default_kernel();
  if (gpu.vendor != Vendor::Nvidia) return context;
  switch (backend_of(names, op, gpu)) {
    case Backend::CuteDsl:
      throw Unsupported(
          fmt::format("gdn_prefill_backend 'cutedsl' is not modelled: it was never measured on GPUs like {}, "
                      "expected auto, flashinfer or triton",
                      gpu.name));
    case Backend::FlashInfer:
      context.kernel = "chunk_gated_delta_rule_flashinfer";
      return context;
    case Backend::Triton:
      break;
  }
  return triton_kernel(names, gpu);
}

}  // namespace warploom
