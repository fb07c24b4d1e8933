// How an engine lays the keys and values of a request out in blocks of one size.
//
// vLLM's hybrid cache (vllm/v1/core/kv_cache_utils.py, single_type_kv_cache_manager.py) puts layers of one
// kind into groups of equal size; a block belongs to one group and holds block_size tokens of its layers, or
// a multiple where they keep so much less of a token than other kinds (unify_kv_cache_spec_page_size). Groups
// of layers that see a window give back the blocks behind it. Layers with a state of one size take a block
// each group for a request of any length, and blocks of others hold so many tokens that a state fits
// (vllm/platforms/interface.py). Where states are kept for prefixes, a request on its way over the end of a
// block holds two: the one it starts from and the one it writes (MambaSpec.max_memory_usage_bytes of
// vllm/v1/kv_cache_interface.py, MambaManager of single_type_kv_cache_manager.py). Engines without it have
// one group of all layers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "warploom/base/divide_up.h"

namespace warploom {

// Where states of recurrent layers are kept, so that prompts with an equal prefix go on from them.
enum class StateKeeping {
  None,
  AtChunkEnds,   // what a step leaves behind: a prompt stops where one is to be kept
  WithinChunks,  // the kernel writes the state of a place within the prompt too
};

struct KvLayout {
  std::int64_t full = 1;                                // groups of layers that keep every token; at least 1
  std::int64_t windowed = 0;                            // groups of layers that keep the last `window` tokens
  std::int64_t window = 0;                              // tokens
  std::int64_t state = 0;                               // blocks of a request of any length
  std::int64_t kept_state = 0;                          // of these, what one kept state takes
  std::int64_t full_stretch = 1, windowed_stretch = 1;  // block_size tokens in a block of such a group
  StateKeeping states_kept = StateKeeping::None;        // in blocks, at ends of those that keep every token

  // Tokens between two places where a state may be kept.
  std::int64_t state_page(std::int64_t block_size) const { return block_size * full_stretch; }
  // Blocks of states that a request holds while tokens up to `tokens` are computed after `computed`.
  std::int64_t states(std::int64_t tokens, std::int64_t computed, std::int64_t block_size) const {
    if (states_kept == StateKeeping::None) return state;
    const std::int64_t page = state_page(block_size), pages = divide_up(tokens, page);
    const std::int64_t before = computed > 0                                ? divide_up(computed, page)
                                : states_kept == StateKeeping::WithinChunks ? 1
                                                                            : pages;
    return pages > before ? state + kept_state : state;
  }

  // Tokens that so many blocks hold when no layer gives blocks back and no request has a state.
  std::int64_t tokens(std::int64_t blocks, std::int64_t block_size) const {
    return blocks / (full + windowed) * block_size * full_stretch;
  }
  // The most that they hold, of requests far longer than a window.
  std::int64_t most_tokens(std::int64_t blocks, std::int64_t block_size) const {
    return blocks / full * block_size * full_stretch;
  }

  bool even() const { return full == 1 && windowed == 0 && state == 0; }
  // Blocks of a request with room for `tokens` tokens, `computed` of which were computed before this step.
  std::int64_t blocks(std::int64_t tokens, std::int64_t computed, std::int64_t block_size) const {
    const std::int64_t kept =
        full * divide_up(tokens, block_size * full_stretch) + states(tokens, computed, block_size);
    if (windowed == 0) return kept;
    const std::int64_t page = block_size * windowed_stretch;
    // The token at hand sees itself and the window - 1 before it.
    const std::int64_t behind = std::max<std::int64_t>(0, computed - window + 1) / page;
    return kept + windowed * std::max<std::int64_t>(0, divide_up(tokens, page) - behind);
  }
  // The most blocks of a request on its way to `tokens` tokens, in steps of at most `step` tokens.
  std::int64_t most_blocks(std::int64_t tokens, std::int64_t step, std::int64_t block_size) const {
    const std::int64_t page = block_size * windowed_stretch;
    const std::int64_t seen = divide_up(window - 1 + step, page) + 1;
    return full * divide_up(tokens, block_size * full_stretch) +
           windowed * std::min(divide_up(tokens, page), seen) + states(tokens, 1, block_size);
  }
};

}  // namespace warploom
