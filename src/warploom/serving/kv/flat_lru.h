// Hashes in the order of their last use, each with a payload: one array of entries and one table of places,
// so that nothing is allocated for an entry once both have grown to what is held.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "warploom/base/error.h"

namespace warploom {

// `Payload` is a small value; an empty struct takes no room.
template <class Payload>
class FlatLru {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNone = ~Place(0);

  // Holds so many at most; at least 0.
  explicit FlatLru(std::int64_t capacity) : capacity_(capacity) {}

  std::int64_t capacity() const { return capacity_; }
  std::int64_t size() const { return size_; }
  bool full() const { return size_ >= capacity_; }

  // kNone: it is not there. Expected O(1), as what follows is.
  Place find(std::uint64_t hash) const { return slots_.empty() ? kNone : slots_[slot_of(hash)].place; }
  bool holds(std::uint64_t hash) const { return find(hash) != kNone; }
  const Payload& payload(Place place) const { return entries_[place].payload; }
  // It is the last used from now on.
  void touch(Place place) {
    if (place == newest_) return;
    unlink(place);
    link_newest(place);
  }
  // Not held so far, and not full; it is the last used.
  void add(std::uint64_t hash, const Payload& payload) {
    WARPLOOM_ASSERT(!full());
    if (2 * std::size_t(size_ + 1) > slots_.size()) grow();
    Place place;
    if (spare_ == kNone) {
      place = Place(entries_.size());
      WARPLOOM_ASSERT(place != kNone);
      entries_.emplace_back();
    } else {
      place = std::exchange(spare_, entries_[spare_].newer);
    }
    entries_[place].hash = hash;
    entries_[place].payload = payload;
    slots_[slot_of(hash)] = {hash, place};
    link_newest(place);
    ++size_;
  }
  // There is one.
  void drop_oldest() { drop(oldest_); }
  // Those that `leaves(payload)` says, the oldest first; how many. O(size).
  template <class Leaves>
  std::int64_t drop_if(const Leaves& leaves) {
    const std::int64_t before = size_;
    for (Place place = oldest_; place != kNone;) {
      const Place next = entries_[place].newer;
      if (leaves(entries_[place].payload)) drop(place);
      place = next;
    }
    return before - size_;
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    Place older = kNone, newer = kNone;  // of a spare one: the next spare one
    [[no_unique_address]] Payload payload{};
  };
  // The hash stands beside the place: a look-up touches no entry.
  struct Slot {
    std::uint64_t hash = 0;
    Place place = kNone;
  };

  // Where it stands, or the empty place for it.
  std::size_t slot_of(std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::size_t(hash) & mask;
    while (slots_[at].place != kNone && slots_[at].hash != hash) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    constexpr std::size_t kFewest = 64;
    std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(std::max(kFewest, old.size() * 2));
    for (const Slot& slot : old)
      if (slot.place != kNone) slots_[slot_of(slot.hash)] = slot;
  }
  // Those behind the gap move up, as far as each may.
  void erase_slot(std::size_t gap) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (gap + 1) & mask; slots_[at].place != kNone; at = (at + 1) & mask) {
      const std::size_t home = std::size_t(slots_[at].hash) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      slots_[gap] = slots_[at];
      gap = at;
    }
    slots_[gap] = {};
  }
  void drop(Place place) {
    erase_slot(slot_of(entries_[place].hash));
    unlink(place);
    entries_[place].newer = std::exchange(spare_, place);
    --size_;
  }
  void link_newest(Place place) {
    entries_[place].older = newest_;
    entries_[place].newer = kNone;
    (newest_ == kNone ? oldest_ : entries_[newest_].newer) = place;
    newest_ = place;
  }
  void unlink(Place place) {
    const Entry& entry = entries_[place];
    (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
    (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
  }

  std::int64_t capacity_, size_ = 0;
  Place oldest_ = kNone, newest_ = kNone, spare_ = kNone;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // open addressing, a power of two
};

}  // namespace warploom
