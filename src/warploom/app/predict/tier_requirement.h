// What `require_tier` of a request asks for.
#pragma once

#include <string>

#include "warploom/kernels/latency_model.h"

namespace warploom {

// Whether answers that no measurement on the same GPU stands behind are to be refused: "measured" asks for
// that, "" does not. Throws InvalidInput on anything else.
bool requires_measured(const std::string& require_tier);

// Why a kernel of `tier` does not count where measured ones are required.
std::string unmeasured_reason(Tier tier);

}  // namespace warploom
