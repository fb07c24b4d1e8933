// A pool of recurrent states beside the keys and values, as SGLang has it.
//
// SGLang 0.5.23, python/sglang/srt/mem_cache/kv_cache_configurator.py, _handle_max_mamba_cache and
// resolve_max_num_reqs: of the memory that weights leave, states get ratio / (1 + ratio), in slots of one
// request's states on a GPU, and one slot more is filled up with (memory_pool.py). A request that runs holds
// several, so that slots limit how many run. Where drafts are verified, each such request keeps a state for
// every token of theirs too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "warploom/base/units.h"

namespace warploom {

struct StatePoolRule {
  double ratio = 0.9;                 // bytes of states to bytes of keys and values
  std::optional<std::int64_t> slots;  // asked for, of one attention rank: in place of the ratio
  std::int64_t slots_of_request = 1;  // of one that runs
  std::int64_t held_slots = 1;        // of these, which no prefix may keep
  std::int64_t requests = 1;          // that may run at once
  std::int64_t verified_tokens = 0;   // of a request in a step that verifies drafts; 0: none
};

struct StatePool {
  std::int64_t slots = 0;     // that requests may take
  std::int64_t requests = 0;  // that they are enough for
  std::int64_t held = 0;      // of each that runs, which no prefix may keep
  Bytes bytes;                // of one GPU: slots, the one beside them, and what drafts need
};

// `state`: of one request on a GPU, above 0. `rest`: what weights leave. slots and requests are 0 or less
// where it is too little. O(1).
StatePool state_pool(const StatePoolRule& rule, Bytes state, Bytes rest);
// One sentence for a pool that is enough for no request.
std::string explain_pool(const StatePoolRule& rule, const StatePool& pool, Bytes state);

}  // namespace warploom
