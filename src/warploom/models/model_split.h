// Whether and how a model splits over the GPUs of a replica.
#pragma once

#include <cstdint>
#include <string_view>

#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"

namespace warploom {

// Throws InvalidInput "<where>: ..." when the model cannot be split that way: heads or widths that do not
// divide, KV heads that neither divide nor replicate evenly, more expert ranks than experts, more stages than
// layers, expert or attention-data parallelism of a dense model, more decode-context ranks than copies of a
// KV head. Throws Unsupported on context parallelism of windowed or linear attention and on prefill-context
// parallelism of a mixture of experts.
void check_sharding(const ModelArchitecture& model, const Sharding& sharding, std::string_view where);

// Rows of the embedding and of lm_head that one GPU holds: padded to a multiple of 64 before the split, as
// vLLM does.
std::int64_t local_vocabulary(const ModelArchitecture& model, const Sharding& sharding);

// The place of the model's layers on one GPU; `sharding` outlives it.
inline LayerPlace place_of(const ModelArchitecture& model, const Sharding& sharding) {
  return {.hidden = model.hidden,
          .dtype = model.dtype,
          .sharding = sharding,
          .kv_cache = model.quantization.kv_cache,
          .expert_rows = ExpertRows::OfAllGroups};
}

}  // namespace warploom
