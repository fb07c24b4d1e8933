#include "warploom/serving/kv/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>

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
  Entry& entry = entries_[unit];
  erase_slot(place_of(entry.hash));
  orphans_ += entry.followers;
  if (has_before(entry))
    --entries_[entry.before].followers;
  else if (!entry.first)
    --orphans_;
  ++entry.epoch;
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

std::size_t KvCache::leading(std::span<const std::uint64_t> hashes) const {
  // Short prefixes, such as a system prompt that all share, are walked: their slots are near at hand.
  constexpr std::size_t kWalked = 32;
  const auto kept = [&](std::uint64_t hash) { return find(hash) != kNoUnit; };
  const std::size_t walked = is_closed() ? std::min(kWalked, hashes.size()) : hashes.size();
  std::size_t found = 0;
  while (found < walked && kept(hashes[found])) ++found;
  if (found < walked || found == hashes.size()) return found;
  std::size_t stride = kWalked;
  while (found + stride <= hashes.size() && kept(hashes[found + stride - 1])) {
    found += stride;
    stride *= 2;
  }
  const auto rest = hashes.subspan(found, std::min(stride - 1, hashes.size() - found));
  return std::size_t(std::partition_point(rest.begin(), rest.end(), kept) - hashes.begin());
}

std::size_t KvCache::leading_in_use(std::span<const std::uint64_t> hashes) const {
  const auto in_use = [&](std::uint64_t hash) { return !idle(find(hash)); };
  const auto end = is_closed() ? std::partition_point(hashes.begin(), hashes.end(), in_use)
                               : std::find_if_not(hashes.begin(), hashes.end(), in_use);
  return std::size_t(end - hashes.begin());
}

std::int64_t KvCache::idle_among(std::span<const std::uint64_t> hashes) const {
  if (is_closed()) return std::int64_t(hashes.size() - leading_in_use(hashes));
  return std::count_if(hashes.begin(), hashes.end(), [&](std::uint64_t hash) { return idle(find(hash)); });
}

KvCache::Unit KvCache::publish_after(std::uint64_t before, Unit latest, std::uint64_t hash) {
  const bool used = latest != kNoUnit && entries_[latest].hash == before;
  return add_unit(hash, used ? latest : find(before), false, used);
}

KvCache::Unit KvCache::add_unit(std::uint64_t hash, Unit before, bool first, bool uses_before) {
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
  Entry& entry = entries_[unit];
  entry = {.hash = hash, .uses = 1, .epoch = entry.epoch, .since = now_, .before = before, .first = first};
  if (before != kNoUnit) {
    entry.before_epoch = entries_[before].epoch;
    ++entries_[before].followers;
  } else if (!first) {
    ++orphans_;
  }
  if (!first && !uses_before) {
    entry.skips = true;
    ++skips_;
  }
  ++uses_;
  slots_[place] = {hash, unit};
  ++kept_units_;
  return unit;
}

void KvCache::drop(Unit unit) {
  WARPLOOM_ASSERT(entries_[unit].uses > 0);
  --uses_;
  Entry& entry = entries_[unit];
  if (--entry.uses > 0) return;
  skips_ -= entry.skips ? 1 : 0;
  entry.skips = false;
  link_newest(unit);
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
