#include "warploom/serving/kv/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::size_t kReadAhead = 8;  // units: as many as one waits for together

// How many hold from the start on, where none holds after one that does not: in strides away from the guess,
// then by halves.
template <class Holds>
std::size_t leap(std::span<const std::uint64_t> hashes, std::size_t guess, const Holds& holds) {
  std::size_t begin = 0, end = hashes.size();  // the answer lies in between
  std::size_t next = std::min(guess, end);
  if (next > 0 && !holds(hashes[next - 1])) {
    end = next - 1;
  } else {
    std::size_t stride = 1;
    for (begin = next; begin < end; stride *= 4) {
      next = std::min(begin + stride, end);
      if (!holds(hashes[next - 1])) {
        end = next - 1;
        break;
      }
      begin = next;
    }
  }
  const auto rest = hashes.subspan(begin, end - begin);
  return begin + std::size_t(std::partition_point(rest.begin(), rest.end(), holds) - rest.begin());
}

}  // namespace

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
  WARPLOOM_ASSERT(unit != kNoUnit && places_[unit].uses == 0);
  unlink(unit);
  // What the next evictions touch: the slot of the next, whose entry was asked for by the last one, and the
  // entry of the one after it.
  if (oldest_ != kNoUnit) {
    expect(entries_[oldest_].hash);
    if (const Unit after = places_[oldest_].newer; after != kNoUnit) {
      __builtin_prefetch(&places_[after]);
      __builtin_prefetch(&entries_[after]);
    }
  }
  Entry& entry = entries_[unit];
  erase_slot(place_of(entry.hash));
  orphans_ += entry.followers;
  if (has_before(unit))
    --entries_[places_[unit].before].followers;
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
  if (places_[unit].uses++ == 0) unlink(unit);
  return unit;
}

template <class See>
void KvCache::walk_back(std::span<const std::uint64_t> hashes, const See& see) const {
  Unit unit = hashes.empty() ? kNoUnit : find(hashes.back());
  for (std::size_t i = hashes.size(); i-- > 0;) {
    // Read first: `see` may change the unit.
    const bool follows = orphans_ == 0 || has_before(unit);
    const Unit before = places_[unit].before;
    see(i, unit);
    if (i > 0) unit = follows ? before : find(hashes[i - 1]);
  }
}

// Every unit is looked up, none is found from the one after it: so the processor reads several at a time.
void KvCache::acquire_all(std::span<const std::uint64_t> hashes, std::vector<Unit>& units) {
  const std::size_t begin = units.size(), count = hashes.size();
  units.resize(begin + count);
  uses_ += std::ssize(hashes);
  for (std::size_t i = count - std::min(count, 2 * kReadAhead); i < count; ++i) expect(hashes[i]);
  for (std::size_t i = count + kReadAhead; i-- > 0;) {
    if (i >= 2 * kReadAhead) expect(hashes[i - 2 * kReadAhead]);
    if (i >= kReadAhead) {
      const std::size_t ahead = i - kReadAhead;
      units[begin + ahead] = find(hashes[ahead]);
      __builtin_prefetch(&places_[units[begin + ahead]], 1);
    }
    if (i >= count) continue;
    const Unit unit = units[begin + i];
    if (places_[unit].uses++ == 0) unlink(unit);
  }
}

std::size_t KvCache::leading(std::span<const std::uint64_t> hashes, std::size_t guess) const {
  const auto kept = [&](std::uint64_t hash) { return find(hash) != kNoUnit; };
  if (orphans_ == 0) return leap(hashes, guess, kept);
  return std::size_t(std::find_if_not(hashes.begin(), hashes.end(), kept) - hashes.begin());
}

std::size_t KvCache::leading_in_use(std::span<const std::uint64_t> hashes, std::size_t guess) const {
  const auto in_use = [&](std::uint64_t hash) { return !idle(find(hash)); };
  if (hashes.empty()) return 0;
  if (orphans_ == 0 && skips_ == 0) {
    if (in_use(hashes.back())) return hashes.size();
    return leap(hashes.first(hashes.size() - 1), guess, in_use);
  }
  std::size_t first_idle = hashes.size();
  walk_back(hashes, [&](std::size_t i, Unit unit) { first_idle = idle(unit) ? i : first_idle; });
  return first_idle;
}

std::int64_t KvCache::idle_among(std::span<const std::uint64_t> hashes, std::size_t guess) const {
  if (orphans_ == 0 && skips_ == 0) return std::int64_t(hashes.size() - leading_in_use(hashes, guess));
  std::int64_t count = 0;
  walk_back(hashes, [&](std::size_t, Unit unit) { count += idle(unit) ? 1 : 0; });
  return count;
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
    places_.emplace_back();
  } else {
    unit = spare_.back();
    spare_.pop_back();
  }
  Entry& entry = entries_[unit];
  entry = {.hash = hash, .since = now_, .epoch = entry.epoch, .first = first};
  places_[unit] = {.uses = 1, .before = before};
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
  WARPLOOM_ASSERT(places_[unit].uses > 0);
  --uses_;
  if (--places_[unit].uses > 0) return;
  if (skips_ > 0 && std::exchange(entries_[unit].skips, false)) --skips_;
  link_newest(unit);
}

void KvCache::drop_all(std::span<const Unit> units) {
  for (std::size_t i = units.size(); i-- > 0;) {
    if (i >= kReadAhead) __builtin_prefetch(&places_[units[i - kReadAhead]], 1);
    drop(units[i]);
  }
}

void KvCache::link_newest(Unit unit) {
  places_[unit].older = newest_;
  places_[unit].newer = kNoUnit;
  (newest_ == kNoUnit ? oldest_ : places_[newest_].newer) = unit;
  newest_ = unit;
  ++idle_units_;
}

void KvCache::unlink(Unit unit) {
  const Place& place = places_[unit];
  (place.older == kNoUnit ? oldest_ : places_[place.older].newer) = place.newer;
  (place.newer == kNoUnit ? newest_ : places_[place.newer].older) = place.older;
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
