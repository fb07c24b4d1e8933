#include "warploom/serving/kv/kv_cache.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {

KvCache::KvCache(std::int64_t total_blocks, std::int64_t block_size, std::int64_t unit_pages,
                 const KvLayout& layout)
    : total_(total_blocks),
      free_(total_blocks),
      block_size_(block_size),
      unit_blocks_(unit_pages * layout.full),
      unit_tokens_(unit_pages * block_size * layout.full_stretch),
      layout_(layout) {
  if (total_blocks < 1 || block_size < 1 || unit_pages < 0) {
    throw InvalidInput(fmt::format("KV cache: {} blocks of {} tokens, expected at least one of each",
                                   total_blocks, block_size));
  }
}

void KvCache::release(std::int64_t blocks) {
  WARPLOOM_ASSERT(blocks >= 0 && free_blocks() + blocks <= total_);
  free_ += blocks;
}

bool KvCache::make_room(std::int64_t blocks) {
  if (blocks > free_blocks()) return false;
  while (free_ < blocks) evict_oldest();
  free_ -= blocks;
  return true;
}

void KvCache::evict_oldest() {
  const Unit unit = oldest_;
  WARPLOOM_ASSERT(unit != kNoUnit && entries_[unit].uses == 0);
  unlink(unit);
  erase_slot(place_of(entries_[unit].hash));
  spare_.push_back(unit);
  --kept_units_;
  free_ += unit_blocks_;
}

KvCache::Unit KvCache::acquire(std::uint64_t hash) {
  const Unit unit = find(hash);
  if (unit == kNoUnit) return kNoUnit;
  ++uses_;
  if (entries_[unit].uses++ == 0) unlink(unit);
  return unit;
}

KvCache::Unit KvCache::publish(std::uint64_t hash) {
  if (2 * std::size_t(kept_units_ + 1) > slots_.size()) grow_slots();
  const std::size_t place = place_of(hash);
  if (slots_[place].unit != kNoUnit) return kNoUnit;
  Unit unit;
  if (spare_.empty()) {
    unit = Unit(entries_.size());
    entries_.emplace_back();
  } else {
    unit = spare_.back();
    spare_.pop_back();
  }
  entries_[unit] = {.hash = hash, .uses = 1, .since = now_};
  ++uses_;
  slots_[place] = {hash, unit};
  ++kept_units_;
  return unit;
}

void KvCache::drop(Unit unit) {
  WARPLOOM_ASSERT(entries_[unit].uses > 0);
  --uses_;
  if (--entries_[unit].uses == 0) link_newest(unit);
}

void KvCache::link_newest(Unit unit) {
  entries_[unit].older = newest_;
  entries_[unit].newer = kNoUnit;
  if (newest_ != kNoUnit) entries_[newest_].newer = unit;
  newest_ = unit;
  if (oldest_ == kNoUnit) oldest_ = unit;
  ++idle_units_;
}

void KvCache::unlink(Unit unit) {
  const Entry& entry = entries_[unit];
  (entry.older == kNoUnit ? oldest_ : entries_[entry.older].newer) = entry.newer;
  (entry.newer == kNoUnit ? newest_ : entries_[entry.newer].older) = entry.older;
  --idle_units_;
}

std::size_t KvCache::place_of(std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = std::size_t(hash) & mask;
  while (slots_[place].unit != kNoUnit && slots_[place].hash != hash) place = (place + 1) & mask;
  return place;
}

void KvCache::grow_slots() {
  std::vector<HashSlot> old(slots_.empty() ? 64 : 2 * slots_.size());
  old.swap(slots_);
  for (const HashSlot& slot : old)
    if (slot.unit != kNoUnit) slots_[place_of(slot.hash)] = slot;
}

// Moves later members of the run back, so that no search stops early.
void KvCache::erase_slot(std::size_t place) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = place;
  for (std::size_t next = (hole + 1) & mask; slots_[next].unit != kNoUnit; next = (next + 1) & mask) {
    const std::size_t home = std::size_t(slots_[next].hash) & mask;
    if (((next - home) & mask) >= ((next - hole) & mask)) {
      slots_[hole] = slots_[next];
      hole = next;
    }
  }
  slots_[hole] = {};
}

}  // namespace warploom
