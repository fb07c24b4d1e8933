// Requests as chunked attention sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/kernels/operator.h"

namespace warploom {

// A token of chunked attention sees the tokens of its own aligned chunk, so a request equals one request for
// each chunk that its new tokens touch, with the tokens of the first chunk before them as context. Replaces
// `result`.
void split_into_chunks(const std::vector<RequestGroup>& groups, std::int64_t chunk,
                       std::vector<RequestGroup>& result);

}  // namespace warploom
