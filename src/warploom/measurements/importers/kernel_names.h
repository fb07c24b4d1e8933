// What the name of a GPU kernel tells: the kind of operator and the tile.
#pragma once

#include <string>
#include <string_view>

namespace warploom {

struct KernelName {
  std::string family;   // of operators (names of Family, "memory" for copies); empty: unknown
  std::string details;  // "tile 128x256x64 stages 4 cluster 1x2"; empty: the name tells none
};

// Kernels of cuBLAS (nvjet, xmma, cutlass), cuDNN, FlashAttention, FlashInfer, PyTorch, vLLM, SGLang,
// TensorRT-LLM and NCCL. Mangled, demangled or shortened names.
KernelName read_kernel_name(std::string_view name);

}  // namespace warploom
