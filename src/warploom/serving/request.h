// What is known of one request after a run, in the run's time.
#pragma once

#include <cstdint>

#include "warploom/serving/time/sim_time.h"

namespace warploom {

// Times are meaningful as far as the request got: `scheduled` when it was scheduled once, `first_token` and
// `last_token` when tokens_emitted > 0. Complete when tokens_emitted == output_tokens.
struct RequestRecord {
  SimTime arrival;    // at the front end
  SimTime queued;     // at the engine's queue: arrival plus the front end's latency
  SimTime taken_in;   // when the engine next chose a step: it reads its queue only then
  SimTime scheduled;  // first taken into a batch
  SimTime first_token;
  SimTime last_token;
  SimTime first_answer;  // token after the thoughts, where thinking_tokens > 0 (else first_token)
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;    // wanted, and allowed by max_model_len
  std::int32_t tokens_emitted = 0;   // so far
  std::int32_t thinking_tokens = 0;  // of output_tokens, before the answer; it has at least one
  bool thinking_cut = false;         // by the budget
  std::int32_t preemptions = 0;
  std::int32_t cached_tokens = 0;    // of the prompt, found in the prefix cache
  std::int32_t replica = -1;         // -1: never reached an engine
  std::int32_t decode_replica = -1;  // of the pool that decodes, where there is one
  std::int32_t restarts = 0;         // engines that failed under it
  bool was_scheduled = false;
  bool rejected = false;     // turned away on arrival: the prompt alone is as long as max_model_len
  bool turned_away = false;  // by the fleet's limit of waiting requests
  bool timed_out = false;    // its client left

  bool completed() const { return tokens_emitted == output_tokens && output_tokens > 0 && !timed_out; }
  SimDuration ttft() const { return first_token - arrival; }
  // From the engine's queue, without the client's way to it.
  SimDuration engine_ttft() const { return first_token - queued; }
  SimDuration e2el() const { return last_token - arrival; }
  // Zero for requests of one token.
  Seconds tpot() const {
    return output_tokens > 1 ? (last_token - first_token).seconds() / double(output_tokens - 1)
                             : Seconds(0.0);
  }
};

}  // namespace warploom
