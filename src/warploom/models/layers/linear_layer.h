// One linear layer of a plan, with the cast of its input.
#pragma once

#include <cstdint>
#include <string_view>

#include "warploom/models/layers/layer_place.h"
#include "warploom/models/scaled_operators.h"

namespace warploom {

// A Quantize where the scheme needs a separate one, unless the kernel before it writes narrow values, then
// the product [tokens, k] x [k, n]. The product's node is returned, until the plan's next.
OperatorNode& add_linear(ScaledOperators& plan, const LaunchedLayer& layer, std::string_view label,
                         MatmulScheme scheme, std::int64_t n, std::int64_t k);

}  // namespace warploom
