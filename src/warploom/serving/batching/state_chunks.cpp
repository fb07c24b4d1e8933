#include "warploom/serving/batching/state_chunks.h"

#include <algorithm>

#include "warploom/base/divide_up.h"

namespace warploom {
namespace {

// The last place before the end: one token at least is computed after it.
std::int64_t last_place(std::int64_t tokens, std::int64_t page) { return (tokens - 1) / page * page; }

// Whether the kernel can write the state of `place` within tokens start to end
// (is_mamba_prefill_checkpoint_valid of vllm/v1/kv_cache_interface.py).
bool writes_within(std::int64_t start, std::int64_t end, std::int64_t place, std::int64_t page) {
  const std::int64_t block = start == 0 ? -1 : (start - 1) / page;
  return start % page == 0 && divide_up(end, page) - 2 > block && start + page <= place && place < end;
}

}  // namespace

std::int64_t tokens_to_state(const PromptChunk& chunk, const StatePlaces& places, std::int64_t most) {
  const std::int64_t page = places.page, start = chunk.start;
  const std::int64_t prompt_end = std::max(chunk.prompt, chunk.known - 1);
  if (start >= prompt_end) return chunk.tokens;
  std::int64_t end = start + chunk.tokens;
  const bool within = places.within_chunks && end >= prompt_end &&
                      writes_within(start, end, last_place(prompt_end, page), page);
  if (end < prompt_end) {
    const std::int64_t aligned = end / page * page;
    if (aligned > start || page <= most) end = aligned;
  }
  std::int64_t stop = end;
  const auto stop_at = [&](std::int64_t place) {
    if (start < place && place < stop) stop = place;
  };
  if (start % page != 0 && !within) stop_at((start / page + 1) * page);
  if (!within) stop_at(last_place(chunk.known, page));
  if (start < chunk.branch && chunk.branch < end) stop_at(start + (chunk.branch - start) / page * page);
  return std::max<std::int64_t>(0, stop - start);
}

}  // namespace warploom
