// The processes between a client and an engine: a load generator and a server, each one event loop that turns
// to all of its requests in turn (asyncio under aiohttp, uvicorn and FastAPI). So requests that come together
// share it and all leave late, where a queue would let the first ones out early. Several such loops side by
// side (one server an instance) share their requests evenly: none works faster than a loop, and together
// they work as fast as there are loops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "warploom/base/units.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

class FrontEnd {
 public:
  // `loops` >= 1.
  explicit FrontEnd(std::int64_t loops = 1) : loops_(double(loops)) {}

  // A request that takes `work` when it is alone. `now` does not run backwards, nor pass next_time().
  void enter(SimTime now, std::uint32_t request, Seconds work);
  // When the next request is through; kNever when there is none.
  SimTime next_time() const;
  // When a request came or left last: none comes before.
  SimTime now() const { return now_; }
  // That request. Those of one time leave in the order in which they came.
  std::uint32_t leave();

 private:
  struct Inside {
    double through;  // the share at which it is through, in seconds
    std::uint64_t sequence;
    std::uint32_t request;
    bool operator>(const Inside& other) const {
      return through != other.through ? through > other.through : sequence > other.sequence;
    }
  };

  // Over which the loops' time is shared: a request has at most one whole loop.
  double sharers() const { return std::max(1.0, double(inside_.size()) / loops_); }

  double loops_;
  std::priority_queue<Inside, std::vector<Inside>, std::greater<>> inside_;
  SimTime now_;
  double share_ = 0;  // of the loop's time, in seconds, that a request inside since the start would have had
  std::uint64_t sequence_ = 0;
};

}  // namespace warploom
