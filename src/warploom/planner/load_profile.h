// What bounds need to know of a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/serving/workload/workload.h"

namespace warploom {

struct LoadProfile {
  std::int64_t requests = 0;
  double rate = 0;             // requests/s, later turns included; 0: a closed loop
  double per_arrival = 1;      // requests for each that comes by itself: turns of a session
  std::int64_t in_flight = 0;  // of a closed loop; 0: none
  double mean_input = 0;       // tokens that some engine must compute at least once, see below
  double mean_output = 0;
  double mean_context = 0;  // tokens in the cache of a decoding request, mean over output tokens
  double mean_held = 0;     // the same without shared parts: what it takes of the cache at least
  // Requests are drawn, at a constant rate or for a constant number in flight, so that there are always more
  // of the same kind; `open_ended`: and nobody said how many.
  bool drawn = false, open_ended = false;
  std::int64_t longest = 0;                   // input and output tokens of one request
  std::vector<std::int32_t> inputs, outputs;  // of each request, ascending; inputs without shared parts

  // The value that a share `fraction` of the requests does not exceed.
  static std::int32_t at(const std::vector<std::int32_t>& ascending, double fraction);
};

// With `cached`, parts of prompts that an earlier request had count for nothing: a prefix cache that holds
// everything. O(n log n).
LoadProfile profile_of(const Workload& workload, bool cached);

// The first `count` requests as they stand: a run of them is the beginning of the whole run, but for what
// later requests would have slowed. Later turns whose first is left out are left out too.
Workload first_requests(const Workload& workload, std::size_t count);

// The first `take` of every `of` requests in a row: what reaches the first instances of a fleet that takes
// requests in turn. Of a load without later turns.
Workload share_of(const Workload& workload, std::size_t take, std::size_t of);

}  // namespace warploom
