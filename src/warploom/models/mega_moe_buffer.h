// The memory that DeepGEMM's MegaMoE exchanges tokens through, one buffer of a GPU for all layers.
#pragma once

#include <cstdint>

#include "warploom/base/units.h"

namespace warploom {

struct MegaMoeShape {
  std::int64_t ranks = 2, experts = 0, top_k = 0, hidden = 0, intermediate = 0;  // of the whole group
  std::int64_t shared_experts = 0;  // computed in the same launch
  std::int64_t tokens = 0;          // of a rank, the most of a step that the engine allows
  std::int64_t sms = 0;             // that the kernel may take
};

// Bytes of the buffer for experts in mxfp4: inputs, the ring of rows on their way through the two products,
// what comes back, and the signals. As DeepGEMM lays it out (layout/mega_moe.cuh, MegaMoEBuffer; the ring by
// scheduler/mega_moe.cuh, get_num_max_live_pool_blocks; of the DeepGEMM in vLLM 0.33.0). O(1).
Bytes mega_moe_buffer(const MegaMoeShape& shape);

}  // namespace warploom
