// Events in the order of their time; events of one time leave in the order in which they were pushed, so a
// run does not depend on the heap's layout. push and pop are O(log n) and allocate only when the heap grows.
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
  // Time of the next event; the queue must not be empty.
  SimTime next_time() const { return heap_.front().time; }

  void push(SimTime time, Event event) {
    heap_.push_back({time, sequence_++, std::move(event)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Event event = std::move(heap_.back().event);
    heap_.pop_back();
    return event;
  }

 private:
  struct Entry {
    SimTime time;
    std::uint64_t sequence;
    Event event;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }
  std::vector<Entry> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace warploom
