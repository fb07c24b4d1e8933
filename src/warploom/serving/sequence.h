// A live request inside an engine. Token counts follow vLLM's: `computed_tokens` have keys and values in the
// cache (or are being computed by a batch in flight), `known_tokens` are the prompt and the outputs whose
// computation is scheduled.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "warploom/serving/kv_cache.h"
#include "warploom/serving/sim_time.h"

namespace warploom {

struct Sequence {
  std::uint32_t request = 0;  // index into the workload
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;
  std::int32_t computed_tokens = 0;
  std::int32_t outputs_scheduled = 0;
  std::int32_t outputs_emitted = 0;
  std::int32_t blocks = 0;  // of the KV cache
  std::int32_t preemptions = 0;
  bool was_scheduled = false;
  SimTime scheduled, first_token, last_token;

  std::int32_t known_tokens() const { return input_tokens + outputs_scheduled; }
  // Every output is scheduled; only the batches in flight keep it alive.
  bool draining() const { return outputs_scheduled == output_tokens; }
};

// A sequence's place in the pool; it keeps its slot from arrival to completion.
using Slot = std::uint32_t;

// What a scheduler works on. `running` is in order of admission, `waiting` in order of service.
struct SchedulerState {
  std::vector<Sequence> sequences;
  std::vector<Slot> running;
  std::deque<Slot> waiting;
  KvCache kv_cache;
  std::int64_t preemptions = 0;

  // Gives the blocks back, forgets what was computed and puts the sequence at the head of the queue. The
  // caller has taken it out of `running`.
  void preempt(Slot slot);
};

}  // namespace warploom
