#include "warploom/tuned_files/unfiled_kernels.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "warploom/models/operator_graph.h"

namespace warploom {
namespace {

template <class Kind>
bool has_mixer(const ModelArchitecture& model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const LayerGroup& group) { return std::holds_alternative<Kind>(group.mixer); });
}

bool has_mxfp4_experts(const ModelArchitecture& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const LayerGroup& group) {
    return group.mixture() != nullptr && (group.schemes.experts == MatmulScheme::MxFp4A16 ||
                                          group.schemes.experts == MatmulScheme::MxFp4A8);
  });
}

bool has_channel_products(const ModelArchitecture& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const LayerGroup& group) {
    const MatmulScheme scheme = group.schemes.attention_input;
    return scheme == MatmulScheme::Fp8 || scheme == MatmulScheme::Fp8Static || scheme == MatmulScheme::Int8;
  });
}

constexpr std::string_view kAutotuned =
    "@triton.autotune times its own list of configurations at the first launch of a shape";

}  // namespace

std::vector<UnfiledKernel> unfiled_kernels(const FileLookUp& asked) {
  const bool vllm = asked.release.engine == MoeEngine::Vllm;
  const ModelArchitecture& model = asked.model;
  std::vector<UnfiledKernel> found;
  const auto add = [&](std::string_view kernel, std::string_view why) {
    found.push_back({std::string(kernel), std::string(why)});
  };
  if (has_mixer<Attention>(model))
    add(vllm ? "kernel_unified_attention" : "_fwd_kernel of extend_attention",
        "tiles, warps and parts are constants of its launcher; Warploom's plugin chooses them "
        "(WARPLOOM_TUNED_ATTENTION)");
  if (has_mixer<Mamba2>(model)) {
    add("_chunk_scan_fwd_kernel and its like (SSD)", kAutotuned);
    if (!vllm) add("selective_state_update", "rows and warps are constants by the size of the state");
  }
  if (has_mixer<GatedDeltaNet>(model) || has_mixer<KimiDelta>(model))
    add("chunk_gated_delta_rule and its like (FLA)", kAutotuned);
  if (has_channel_products(model))
    add("triton_scaled_mm", vllm ? "tiles are constants by the sizes; CUTLASS runs before it on NVIDIA GPUs"
                                 : "without a file of channel_fp8_product CUTLASS runs, or constants by the "
                                   "sizes");
  if (has_mxfp4_experts(model))
    add("matmul_ogs (mxfp4 experts)",
        "triton_kernels derives tiles from the sizes (opt_flags); Marlin and FlashInfer have none");
  if (vllm)
    add("helion",
        "files lie in vllm/kernels/helion/configs, but no layer of this release calls those kernels");
  if (vllm && asked.gpu.vendor == Vendor::Amd && model.mixture() != nullptr)
    add("fused_flydsl_moe", "backend=flydsl files are of AITER's kernels of 4 bits, which are not Triton's");
  return found;
}

}  // namespace warploom
