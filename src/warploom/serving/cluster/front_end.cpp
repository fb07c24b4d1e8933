#include "warploom/serving/cluster/front_end.h"

#include <algorithm>

namespace warploom {

void FrontEnd::enter(SimTime now, std::uint32_t request, Seconds work) {
  if (inside_.empty())
    share_ = 0;
  else
    share_ = std::min(share_ + (now - now_).seconds().value() / sharers(), inside_.top().through);
  now_ = now;
  inside_.push({share_ + work.value(), sequence_++, request});
}

SimTime FrontEnd::next_time() const {
  if (inside_.empty()) return kNever;
  return now_ + to_sim_duration(Seconds((inside_.top().through - share_) * sharers()));
}

std::uint32_t FrontEnd::leave() {
  now_ = next_time();
  const Inside first = inside_.top();
  share_ = first.through;
  inside_.pop();
  return first.request;
}

}  // namespace warploom
