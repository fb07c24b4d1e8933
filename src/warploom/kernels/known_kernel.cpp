#include "warploom/kernels/known_kernel.h"

#include <array>

#include "warploom/kernels/attention/attention_tiling.h"

namespace warploom {

namespace {

struct Named {
  std::string_view part;  // of a kernel's name
  KnownKernel kernel;
};
// The first that occurs decides.
constexpr std::array kMoeNames{Named{"cutedsl", KnownKernel::MoeCuteDsl},
                               Named{"deepgemm", KnownKernel::MoeDeepGemm},
                               Named{"marlin", KnownKernel::MoeMarlin},
                               Named{"min_latency", KnownKernel::MoeMinLatency},
                               Named{"flashinfer_trtllm", KnownKernel::MoeTrtllmGen},
                               Named{"flashinfer_mxfp4", KnownKernel::MoeTrtllmGen},
                               Named{"flashinfer_cutlass", KnownKernel::MoeFlashinferCutlass},
                               Named{"moe_torch_flow_nongated", KnownKernel::MoeCutlass},
                               Named{"moe_torch_flow_cutlass", KnownKernel::MoeCutlass},
                               Named{"triton", KnownKernel::MoeTriton},
                               Named{"vllm_fused_moe", KnownKernel::MoeTriton},
                               Named{"moe_torch_flow", KnownKernel::MoeTrtllm}};

}  // namespace

KnownKernel known_kernel(std::string_view kernel) {
  if (kernel == "gemm_fp8") return KnownKernel::BlockScaledFp8Hopper;
  if (kernel == "own_prefill_fa2") return KnownKernel::CollectorPrefill;
  if (kernel == "own_decode_fa2") return KnownKernel::CollectorDecode;
  if (kernel.find("moe") == std::string_view::npos && kernel != "deepgemm") return KnownKernel::None;
  for (const Named& named : kMoeNames)
    if (kernel.find(named.part) != std::string_view::npos) return named.kernel;
  return KnownKernel::None;
}

unsigned source_code(Family family, const ContextKernel& kernel, const GpuSpec& gpu) {
  if (family == Family::AttentionDecode) return unsigned(attention_kernel(kernel.hints, gpu));
  return unsigned(kernel.known);
}

bool describes(KnownKernel kernel, const Operator& op) {
  if (kernel != KnownKernel::BlockScaledFp8Hopper) return false;
  const auto* gemm = std::get_if<Gemm>(&op);
  return gemm != nullptr && weight_type(gemm->scheme) == DataType::Fp8 &&
         activation_type(gemm->scheme) == DataType::Fp8;
}

}  // namespace warploom
