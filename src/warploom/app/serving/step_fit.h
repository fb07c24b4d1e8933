// Whether the requests of one step could be in an engine at all.
#pragma once

#include <cstdint>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

// `longest`: tokens of the longest request with the new ones; `held`: of all requests together. Throws
// InvalidInput where a request is longer than the model reads, and where they take more than the KV cache has
// room for; memory is not looked at where layers keep a window or a state, or where ranks hold requests of
// their own.
void check_step_fits(const ServingSetup& setup, std::int64_t longest, std::int64_t held);

}  // namespace warploom
