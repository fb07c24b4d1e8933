// A run whose requests come while it goes on: the same pools, schedulers and prices as simulate(), played as
// far as the caller's clock has come.
#pragma once

#include <cstdint>

#include "warploom/serving/cluster/run.h"
#include "warploom/serving/workload/length_limit.h"

namespace warploom {

class LiveRun {
 public:
  // `deployment` (with what it points to) and `listener` outlive this. Throws what simulate() throws of a
  // deployment.
  LiveRun(const Deployment& deployment, RunListener& listener);
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  // A request that a client sends at `arrival`, no earlier than earliest_arrival(); its number, from 0 on.
  // That may be before what was played: engines see it at the end of its way, or now if that is later. An
  // output beyond max_model_len is cut, as engines cut it. Throws InvalidInput on a prompt that is too long
  // for the engine or its KV cache.
  std::uint32_t add(SimTime arrival, std::int64_t input_tokens, std::int64_t output_tokens);
  SimTime earliest_arrival() const { return run_.earliest_arrival(); }
  // What each request's way from the client takes at least: so far the run may be played ahead of the clock
  // that clients go by, for nobody who comes later changes it.
  SimDuration least_way() const;
  // What it will get, after cuts.
  std::int32_t output_tokens(std::uint32_t request) const {
    return workload_.requests[request].output_tokens;
  }
  // Its client is gone. A request that is under way where prefill and decode are apart is served to its end.
  void leave(std::uint32_t request, SimTime now) { run_.client_left(request, now); }

  void play_until(SimTime until) { run_.play_until(until); }
  // When something happens next; kNever where nothing will without another request.
  SimTime next_time() const { return run_.next_time(); }
  TimelineSample load() { return run_.load(); }
  // Tokens that prompt and output may have; 0: no limit.
  std::int64_t max_model_len() const { return limits_.max_model_len; }

 private:
  const Deployment& deployment_;
  LengthLimits limits_;
  Workload workload_;
  SimulationOptions options_;
  Run run_;
};

}  // namespace warploom
