// The units that one store of a fleet holds, those used last, each from when it was written.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

#include "warploom/serving/time/sim_time.h"

namespace warploom {

class SharedStore {
 public:
  // Holds so many units at most; at least 0.
  explicit SharedStore(std::int64_t capacity) : capacity_(capacity) {}

  // Whether it can be read now; it is then the last used. Expected O(1).
  bool find(std::uint64_t hash, SimTime now);
  // Whether it is there or being written; it is then the last used.
  bool touch(std::uint64_t hash);
  // It is written by `writer` until `readable`; the oldest goes where there is no room. Not held so far.
  void add(std::uint64_t hash, std::uint32_t writer, SimTime readable);
  // What `writer` has not written by now is never written. O(size).
  void drop_unwritten(std::uint32_t writer, SimTime now);

  std::int64_t capacity() const { return capacity_; }
  std::int64_t size() const { return std::int64_t(places_.size()); }
  std::int64_t added() const { return added_; }
  std::int64_t evicted() const { return evicted_; }
  std::int64_t dropped() const { return dropped_; }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t writer = 0;
    SimTime readable;
  };
  std::int64_t capacity_;
  std::list<Entry> order_;  // oldest first
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> places_;
  std::int64_t added_ = 0, evicted_ = 0, dropped_ = 0;
};

}  // namespace warploom
