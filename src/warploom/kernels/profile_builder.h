// The kernels of a call with the tiles that the structural model gives them: what families make their
// profile of.
#pragma once

#include <algorithm>
#include <string_view>

#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/profile_parts.h"

namespace warploom {

struct ProfileBuilder {
  ProfileBuilder(const GpuSpec& gpu, const ContextKernel& kernel, const StructuralPrice& price);

  const GpuSpec& gpu;
  const ContextKernel& kernel;
  const StructuralPrice& price;  // of the whole call
  ProfileParts parts{};

  // One product that is the call.
  void add_product(const Gemm& op);
  // A product inside a call, by its own price.
  void add_projection(const Gemm& op);
  // Attention inside a call: its tile is shown.
  void add_attention(const AttentionView& view);
  // Kernels that read and write each byte once; `work` is that of the call.
  void add_stream(const Work& work, std::string_view name);
};

}  // namespace warploom
