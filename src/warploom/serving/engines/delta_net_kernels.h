// Whose kernels vLLM runs prompts in gated delta nets with.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/serving/pricing/kernel_names.h"

namespace warploom {

// Whether `op` is the scan of a prompt in a gated delta net, which has several implementations.
bool is_delta_net_scan(const LinearAttention& op);

// Whether prompts in delta nets of the usual width run FlashInfer's kernel where vLLM is asked for `backend`.
bool runs_flashinfer_delta_nets(std::string_view backend, const GpuSpec& gpu, std::string_view version);

// The kernel of such a scan, by KernelNames::gdn_prefill_backend, the GPU and the release; on AMD's GPUs the
// default. Throws Unsupported on a backend that was never measured.
KernelContext delta_net_kernel(const KernelNames& names, const LinearAttention& op, const GpuSpec& gpu);

}  // namespace warploom
