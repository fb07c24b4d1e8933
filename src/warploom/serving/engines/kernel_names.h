// Whose kernels a serving run is priced with.
#pragma once

#include <string>
#include <string_view>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// What carries tokens to experts on other GPUs under data-parallel attention: an all-gather and a
// reduce-scatter, or DeepEP's dispatch and combine. Auto: the low-latency kernels for the few tokens of
// decoding, the normal ones for prompts (SGLang).
enum class ExpertTransport { Collectives, DeepEpNormal, DeepEpLowLatency, DeepEpAuto };

// Names of the measured data. Of fused experts engines have several implementations beside each other, and
// choose by scheme, GPU and parallelism.
struct KernelNames {
  std::string framework, version;  // version empty: unknown
  std::string moe_backend = "auto", fp8_gemm_backend = "auto";
  ExpertTransport expert_transport = ExpertTransport::Collectives;

  // Views into this object and into constants. Throws as vllm_moe_kernel does.
  KernelContext of(const Operator& op, const GpuSpec& gpu) const;
};

// The measured kernel of vLLM's fused experts: `backend` as --moe-backend takes it. "auto" follows vLLM's
// order (vllm/model_executor/layers/fused_moe/oracle/fp8.py): block-scaled fp8 runs in Triton on Hopper, in
// FlashInfer's CUTLASS kernel there when experts are spread over GPUs, and in FlashInfer's TensorRT-LLM
// kernel on data-centre Blackwell. Empty: whatever was measured as the default. Throws Unsupported when a
// backend other than "auto" was never measured with the operator's scheme.
std::string_view vllm_moe_kernel(std::string_view backend, const FusedMoe& op, const GpuSpec& gpu);

// vLLM and SGLang reduce up to 8 MiB within an NVLink domain by a kernel of their own
// (custom_all_reduce.cuh), also on GPUs where NCCL alone was measured. Empty: whatever was measured as the
// default.
std::string_view custom_allreduce(std::string_view framework, const Collective& op, const GpuSpec& gpu);

// The measured kernel of a dispatch or combine; empty for Collectives. Normal kernels on 20 SMs, DeepEP's
// default.
std::string_view deepep_kernel(ExpertTransport transport, const Collective& op);

// The same of SGLang and TensorRT-LLM, whose names of backends are vLLM's here; empty kernel: the default.
// NVIDIA's trtllm-gen experts on block-scaled fp8 and nvfp4 were measured under SGLang's name alone. Throws
// Unsupported like vllm_moe_kernel.
KernelContext other_moe_kernel(std::string_view framework, std::string_view backend, const FusedMoe& op,
                               const GpuSpec& gpu);

// The measured kernel of SGLang's block-scaled fp8 products on data-centre Blackwell, `backend` as
// --fp8-gemm-backend takes it; empty: the default, DeepGEMM after a quantisation of its own. FlashInfer's
// trtllm-gen products were never measured; TensorRT-LLM's, quantisation fused, stand for them. Throws
// Unsupported when that backend is asked for on another GPU.
KernelContext sglang_fp8_kernel(std::string_view backend, const Gemm& op, const GpuSpec& gpu);
void check_fp8_gemm_backend(std::string_view backend);

// Throws InvalidInput unless `backend` is one of vLLM's, naming them.
void check_moe_backend(std::string_view backend);

}  // namespace warploom
