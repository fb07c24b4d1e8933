#include "warploom/models/layers/linear_layer.h"

#include <algorithm>
#include <array>

namespace warploom {
namespace {

// Attention and the gated activation write what these read; the others read what a norm wrote.
constexpr std::array<std::string_view, 3> kBehindKernels{"o_proj", "down_proj", "shared_down_proj"};

// Whether the kernel before a linear layer writes values that are quantised already.
bool quantised_before(const LaunchedLayer& layer, std::string_view label) {
  const bool behind_kernel =
      std::find(kBehindKernels.begin(), kBehindKernels.end(), label) != kBehindKernels.end();
  if (behind_kernel) return layer.options.fuse_static_quantization;
  return layer.options.fuse_norm_quantization && layer.options.fuse_allreduce_norm &&
         layer.sharding.tensor_parallel > 1;
}

}  // namespace

OperatorNode& add_linear(ScaledOperators& plan, const LaunchedLayer& layer, std::string_view label,
                         MatmulScheme scheme, std::int64_t n, std::int64_t k) {
  const DataType operand = activation_type(scheme);
  if (bytes_per_element(operand) < 2.0 && !quantises_activations(scheme)) {
    const bool known_scales = scheme == MatmulScheme::Fp8Static;
    if (!known_scales || !quantised_before(layer, label))
      plan.add("quantize", layer.count, Quantize{.target = operand, .width = k, .dynamic = !known_scales});
  }
  return plan.add(label, layer.count, Gemm{.scheme = scheme, .n = n, .k = k});
}

}  // namespace warploom
