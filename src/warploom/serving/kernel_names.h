// Whose kernels a serving run is priced with.
#pragma once

#include <string>
#include <string_view>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Names of the measured data. Of fused experts engines have several implementations beside each other, and
// choose by scheme, GPU and parallelism.
struct KernelNames {
  std::string framework, version;  // version empty: unknown
  std::string moe_backend = "auto";

  // Views into this object and into constants. Throws as vllm_moe_kernel does.
  KernelContext of(const Operator& op, const GpuSpec& gpu) const;
};

// The measured kernel of vLLM's fused experts: `backend` as --moe-backend takes it. "auto" follows vLLM's
// order (vllm/model_executor/layers/fused_moe/oracle/fp8.py): block-scaled fp8 runs in Triton on Hopper, in
// FlashInfer's CUTLASS kernel there when experts are spread over GPUs, and in FlashInfer's TensorRT-LLM
// kernel on data-centre Blackwell. Empty: whatever was measured as the default. Throws Unsupported when a
// backend other than "auto" was never measured with the operator's scheme.
std::string_view vllm_moe_kernel(std::string_view backend, const FusedMoe& op, const GpuSpec& gpu);

// Throws InvalidInput unless `backend` is one of vLLM's, naming them.
void check_moe_backend(std::string_view backend);

}  // namespace warploom
