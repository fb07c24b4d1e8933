// Events in the order of their time; events of one time leave in the order in which they were pushed, so a
// run does not depend on the heap's layout. push and pop are O(log n) and allocate only when the heap grows.
// An entry is written where it stays: one that is written and moved at once is read back before it is there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "warploom/serving/time/sim_time.h"

namespace warploom {

template <class Event>
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // The next event and its time; the queue must not be empty.
  SimTime next_time() const { return heap_.front().time; }
  const Event& next() const { return heap_.front().event; }

  void push(SimTime time, Event event) {
    std::size_t place = heap_.size();
    heap_.emplace_back();
    for (; place > 0; place = (place - 1) / 2) {  // those behind it go down; none of equal time is
      Entry& above = heap_[(place - 1) / 2];
      if (above.time <= time) break;
      heap_[place] = std::move(above);
    }
    Entry& entry = heap_[place];
    entry.time = time;
    entry.sequence = sequence_++;
    entry.event = std::move(event);
  }

  Event pop() {
    Event event = std::move(heap_.front().event);
    if (heap_.size() > 1) std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    return event;
  }

  // The next event comes at `time`, no earlier than it would have, as if it were pushed now.
  void put_off(SimTime time) {
    if (heap_.size() > 1) return push(time, pop());
    heap_.front().time = time;
    heap_.front().sequence = sequence_++;
  }

 private:
  struct Entry {
    SimTime time;
    std::uint64_t sequence = 0;
    Event event;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }
  std::vector<Entry> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace warploom
