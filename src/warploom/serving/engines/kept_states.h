// How an engine keeps states of recurrent layers: in blocks of the KV cache (vLLM) or in a pool beside it
// (SGLang), and where prefixes may be gone on from.
#pragma once

#include <optional>
#include <string_view>

#include "warploom/models/memory_footprint.h"
#include "warploom/serving/engines/engine_spec.h"

namespace warploom {

// vLLM: mamba_cache_mode `align` where prefixes are kept, by default since 0.26.0
// (is_prefix_caching_supported of config/model.py); within prompts where every such layer's kernel can.
KeptStates vllm_kept_states(const EngineLaunch& launch, std::string_view version);

// SGLang, as 0.5.23 has it (mem_cache/kv_cache_configurator.py, _calculate_mamba_ratio): with a radix cache a
// running request holds one slot, two for the states that overlapping steps track, and the tree two; where
// models cannot track so (arg_groups/overrides.py, _MAMBA_EXTRA_BUFFER_ARCHS) three in all. `asked_requests`:
// max_running_requests, where the command says it.
StatePoolRule sglang_state_pool(const EngineLaunch& launch, std::optional<std::int64_t> asked_requests);

}  // namespace warploom
