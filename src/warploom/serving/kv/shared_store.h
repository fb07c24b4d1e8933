// The units that one store of a fleet holds, those used last, each from when it was written.
#pragma once

#include <cstdint>

#include "warploom/serving/kv/flat_lru.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

class SharedStore {
 public:
  // Holds so many units at most; at least 0.
  explicit SharedStore(std::int64_t capacity) : units_(capacity) {}

  // Whether it can be read now; it is then the last used. Expected O(1).
  bool find(std::uint64_t hash, SimTime now);
  // Whether it is there or being written; it is then the last used.
  bool touch(std::uint64_t hash);
  // It is written by `writer` until `readable`; the oldest goes where there is no room. Not held so far.
  void add(std::uint64_t hash, std::uint32_t writer, SimTime readable);
  // What `writer` has not written by now is never written. O(size).
  void drop_unwritten(std::uint32_t writer, SimTime now);

  std::int64_t capacity() const { return units_.capacity(); }
  std::int64_t size() const { return units_.size(); }
  std::int64_t added() const { return added_; }
  std::int64_t evicted() const { return evicted_; }
  std::int64_t dropped() const { return dropped_; }

 private:
  struct Written {
    std::uint32_t writer = 0;
    SimTime readable;
  };
  FlatLru<Written> units_;
  std::int64_t added_ = 0, evicted_ = 0, dropped_ = 0;
};

}  // namespace warploom
