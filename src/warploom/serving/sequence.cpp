#include "warploom/serving/sequence.h"

#include <algorithm>

#include "warploom/base/hash.h"

namespace warploom {
namespace {

// The hash of a prefix from that of the prefix one unit shorter. The last segment goes on for ever: outputs
// continue it.
std::uint64_t extend_hash(std::uint64_t hash, std::span<const ContentSegment> content, std::int64_t begin,
                          std::int64_t end) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const bool last = i + 1 == content.size();
    const std::int64_t segment_end = last ? end : first + content[i].tokens;
    if (segment_end > begin && first < end) {
      const std::int64_t from = std::max(begin, first) - first, to = std::min(end, segment_end) - first;
      hash =
          hash_combine(hash_combine(hash, content[i].content), std::uint64_t(from) << 32 | std::uint64_t(to));
    }
    first = segment_end;
    if (first >= end) break;
  }
  return hash;
}

}  // namespace

std::span<const ContentSegment> SchedulerState::content_of(std::uint32_t request) const {
  if (workload == nullptr || !kv_cache.keeps_prefixes()) return {};
  return workload->content_of(request);
}

void SchedulerState::take_prefix(Sequence& sequence) {
  const auto content = content_of(sequence.request);
  if (content.empty() || sequence.computed_tokens > 0) return;
  const std::int64_t unit = kv_cache.unit_tokens();
  const std::int64_t most = (sequence.known_tokens() - 1) / unit;
  for (std::int64_t i = 0; i < most; ++i) {
    const std::uint64_t hash = extend_hash(sequence.hash, content, i * unit, (i + 1) * unit);
    const KvCache::Unit found = kv_cache.acquire(hash);
    if (found == KvCache::kNoUnit) break;
    sequence.hash = hash;
    ++sequence.hashed_units;
    sequence.units.push_back(found);
  }
  sequence.computed_tokens = std::int32_t(std::int64_t(sequence.hashed_units) * unit);
  sequence.blocks = std::int32_t(std::int64_t(sequence.hashed_units) * kv_cache.unit_blocks());
  if (!sequence.was_scheduled) sequence.cached_tokens = sequence.computed_tokens;
}

std::int64_t SchedulerState::cached_prefix(std::uint32_t request, std::int32_t input_tokens) const {
  const auto content = content_of(request);
  if (content.empty()) return 0;
  const std::int64_t unit = kv_cache.unit_tokens(), most = (input_tokens - 1) / unit;
  std::uint64_t hash = 0;
  std::int64_t found = 0;
  for (; found < most; ++found) {
    hash = extend_hash(hash, content, found * unit, (found + 1) * unit);
    if (!kv_cache.holds(hash)) break;
  }
  return found * unit;
}

bool SchedulerState::hold(Sequence& sequence, std::int64_t tokens) {
  const std::int64_t needed = kv_cache.blocks_for(tokens) - sequence.blocks;
  if (needed <= 0) return true;
  if (!kv_cache.allocate(needed)) return false;
  sequence.blocks += std::int32_t(needed);
  return true;
}

void SchedulerState::keep_prefix(Sequence& sequence) {
  const auto content = content_of(sequence.request);
  if (content.empty()) return;
  const std::int64_t unit = kv_cache.unit_tokens();
  while ((std::int64_t(sequence.hashed_units) + 1) * unit <= sequence.computed_tokens) {
    const std::int64_t begin = sequence.hashed_units * unit;
    sequence.hash = extend_hash(sequence.hash, content, begin, begin + unit);
    ++sequence.hashed_units;
    const KvCache::Unit kept = kv_cache.publish(sequence.hash);
    if (kept != KvCache::kNoUnit) sequence.units.push_back(kept);
  }
}

void SchedulerState::release(Sequence& sequence) {
  // The end goes first, so that it is evicted first.
  for (std::size_t i = sequence.units.size(); i-- > 0;) kv_cache.drop(sequence.units[i]);
  kv_cache.release(sequence.blocks - std::int64_t(sequence.units.size()) * kv_cache.unit_blocks());
  sequence.units.clear();
  sequence.hashed_units = 0;
  sequence.hash = 0;
  sequence.blocks = 0;
  sequence.computed_tokens = 0;
}

void SchedulerState::preempt(Slot slot) {
  Sequence& sequence = sequences[slot];
  release(sequence);
  ++sequence.preemptions;
  ++preemptions;
  waiting.push_front(slot);
}

}  // namespace warploom
