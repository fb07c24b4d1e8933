// Batches of one replica, oldest first, in places that are used again: batches keep their memory and never
// move while the queue keeps its capacity.
#pragma once

#include <utility>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/serving/batching/scheduler.h"

namespace warploom {

class BatchQueue {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const ScheduledBatch& back() const { return places_[place(size_ - 1)]; }
  // An empty batch at the end. References to other batches end here.
  ScheduledBatch& push() {
    if (size_ == places_.size()) grow();
    ScheduledBatch& batch = places_[place(size_++)];
    batch.clear();
    return batch;
  }
  // Takes the last one back.
  void drop_back() {
    WARPLOOM_ASSERT(size_ > 0);
    --size_;
  }
  // Takes the oldest out; the reference holds until the next push().
  const ScheduledBatch& pop() {
    WARPLOOM_ASSERT(size_ > 0);
    const ScheduledBatch& oldest = places_[first_];
    first_ = place(1);
    --size_;
    return oldest;
  }

 private:
  std::size_t place(std::size_t i) const {
    const std::size_t at = first_ + i;
    return at < places_.size() ? at : at - places_.size();
  }
  void grow() {
    std::vector<ScheduledBatch> larger(places_.size() + 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(places_[place(i)]);
    places_ = std::move(larger);
    first_ = 0;
  }

  std::vector<ScheduledBatch> places_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace warploom
