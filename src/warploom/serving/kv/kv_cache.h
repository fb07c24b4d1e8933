// Paged KV cache by counts, with the prefix cache as live state.
//
// Tokens whose content is known are grouped into units (a whole number of blocks). A unit that was computed
// is kept under the hash of everything up to its end, so equal hashes mean equal prefixes. Units in use are
// counted; unused ones stay until their blocks are wanted, least recently used first, the end of a prefix
// before its beginning.
// Invariants: 0 <= free <= total; every block taken is given back exactly once (bugs assert).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warploom/models/kv_layout.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

class KvCache {
 public:
  using Unit = std::uint32_t;
  static constexpr Unit kNoUnit = ~Unit(0);

  // Both at least 1; throws InvalidInput. A unit has `unit_pages` blocks of each group that keeps every
  // token; 0: prefixes are not kept. What layers with a window hold is not kept: their blocks behind it are
  // the first to go.
  KvCache(std::int64_t total_blocks, std::int64_t block_size, std::int64_t unit_pages = 0,
          const KvLayout& layout = {});

  std::int64_t total_blocks() const { return total_; }
  // Blocks that allocate() can give: unused ones and those that only the prefix cache holds.
  std::int64_t free_blocks() const { return free_ + idle_units_ * unit_blocks_; }
  std::int64_t used_blocks() const { return total_ - free_blocks(); }
  std::int64_t block_size() const { return block_size_; }
  const KvLayout& layout() const { return layout_; }

  // Takes `blocks` blocks; false and no change when fewer are free. Amortised O(1), O(evicted units).
  bool allocate(std::int64_t blocks) {
    if (blocks > free_) return make_room(blocks);
    free_ -= blocks;
    return true;
  }
  void release(std::int64_t blocks);

  bool keeps_prefixes() const { return unit_blocks_ > 0; }
  std::int64_t unit_blocks() const { return unit_blocks_; }
  std::int64_t unit_tokens() const { return unit_tokens_; }
  std::int64_t kept_units() const { return kept_units_; }
  // The unit under that hash; kNoUnit when there is none. Expected O(1).
  Unit find(std::uint64_t hash) const { return slots_.empty() ? kNoUnit : slots_[place_of(hash)].unit; }
  // The hash is looked for soon: the processor begins to read where it would stand.
  void expect(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[std::size_t(hash) & (slots_.size() - 1)]);
  }
  bool idle(Unit unit) const { return places_[unit].uses == 0; }
  // What is published from now on counts as published then, which since() tells.
  void look_at(SimTime now) { now_ = now; }
  SimTime since(Unit unit) const { return entries_[unit].since; }
  // Uses of units that others use too: how many more they would be if nothing were shared.
  std::int64_t shared_uses() const { return uses_ - (kept_units_ - idle_units_); }
  // The same, now in use once more.
  Unit acquire(std::uint64_t hash);
  // The same of the first units of a prompt, all of which are kept; they join the end of `units`.
  void acquire_all(std::span<const std::uint64_t> hashes, std::vector<Unit>& units);
  // How many units of a prompt are kept, from its start to the first that is not; of kept ones, how many
  // before the first without use, and all without. `guess` is a likely answer, which costs least where it is
  // right. O(log units) while every kept unit has the one before it in its prompt, as nearly always; else
  // O(units).
  std::size_t leading(std::span<const std::uint64_t> hashes, std::size_t guess = 0) const;
  // All hashes must be kept:
  std::size_t leading_in_use(std::span<const std::uint64_t> hashes, std::size_t guess = 0) const;
  std::int64_t idle_among(std::span<const std::uint64_t> hashes, std::size_t guess = 0) const;
  // Blocks that the caller holds and has filled become the first unit of a prompt, in use by the caller;
  // kNoUnit when another unit has that hash: the caller then keeps its blocks to itself.
  Unit publish(std::uint64_t hash) { return add_unit(hash, kNoUnit, true, true); }
  // The same of a later unit; `before` is the hash of the one before it, `latest` the latest that the caller
  // uses.
  Unit publish_after(std::uint64_t before, Unit latest, std::uint64_t hash);
  // Ends one use. The unit stays until its blocks are wanted.
  void drop(Unit unit);
  // The same of units in the order of their prompt: the end goes first, so that it is evicted first.
  void drop_all(std::span<const Unit> units);

 private:
  // What taking and giving back touch of a unit, four to a line of the processor's cache.
  struct Place {
    std::int32_t uses = 0;
    Unit older = kNoUnit, newer = kNoUnit;  // among units without use
    Unit before = kNoUnit;                  // the unit before it in its prompt; kNoUnit of a first unit
  };
  struct Entry {
    std::uint64_t hash = 0;
    SimTime since;
    std::uint32_t epoch = 0;         // evictions of this entry
    std::uint32_t before_epoch = 0;  // of the unit before it, when this one was published
    std::int32_t followers = 0;      // kept units of which this is the one before
    bool first = true;
    bool skips = false;  // somebody uses it, but not the one before
  };
  // The hash stands beside the unit: a look-up touches no entry.
  struct HashSlot {
    std::uint64_t hash = 0;
    Unit unit = kNoUnit;
  };
  bool has_before(Unit unit) const {
    const Unit before = places_[unit].before;
    return before != kNoUnit && entries_[before].epoch == entries_[unit].before_epoch;
  }
  // From the last of kept units back to the first: see(place, unit).
  template <class See>
  void walk_back(std::span<const std::uint64_t> hashes, const See& see) const;
  Unit add_unit(std::uint64_t hash, Unit before, bool first, bool uses_before);
  bool make_room(std::int64_t blocks);
  void evict_oldest();
  void link_newest(Unit unit);
  void unlink(Unit unit);
  std::size_t place_of(std::uint64_t hash) const;  // where it stands in slots_, or the empty place for it
  void grow_slots();
  void erase_slot(std::size_t place);

  std::int64_t total_, free_, block_size_, unit_blocks_, unit_tokens_;
  KvLayout layout_;
  std::int64_t idle_units_ = 0, kept_units_ = 0, uses_ = 0;
  std::int64_t orphans_ = 0, skips_ = 0;  // units whose predecessor is gone; entries that skip
  SimTime now_;
  std::vector<Place> places_;    // by unit
  std::vector<Entry> entries_;   // the same
  std::vector<Unit> spare_;      // entries without a unit
  std::vector<HashSlot> slots_;  // open addressing, a power of two
  Unit oldest_ = kNoUnit, newest_ = kNoUnit;
};

}  // namespace warploom
