// A live request inside an engine, and what a scheduler works on. Token counts follow vLLM's:
// `computed_tokens` have keys and values in the cache (or are being computed by a batch in flight),
// `known_tokens` are the prompt and the outputs whose computation is scheduled.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "warploom/serving/kv_cache.h"
#include "warploom/serving/sim_time.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

struct Sequence {
  std::uint32_t request = 0;  // index into the workload
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;
  std::int32_t computed_tokens = 0;
  std::int32_t outputs_scheduled = 0;
  std::int32_t outputs_emitted = 0;
  std::int32_t blocks = 0;         // of the KV cache, shared ones included
  std::int32_t cached_tokens = 0;  // found in the prefix cache when first admitted
  std::int32_t preemptions = 0;
  bool was_scheduled = false;
  bool awaits_token =
      false;  // its token is on the way through a pipeline, and nothing goes on before it is back
  SimTime scheduled, first_token, last_token;
  // Units of the prefix cache, in order from the start of the prompt; then the hash up to the end of unit
  // `hashed_units`, which may go on where units of the same content belong to others.
  std::vector<KvCache::Unit> units;
  std::int32_t hashed_units = 0;
  std::uint64_t hash = 0;

  std::int32_t known_tokens() const { return input_tokens + outputs_scheduled; }
  // Every output is scheduled; only the batches in flight keep it alive.
  bool draining() const { return outputs_scheduled == output_tokens; }
  // Nothing to schedule now, nor to stop.
  bool idle() const { return draining() || awaits_token; }
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
  const Workload* workload = nullptr;  // contents of prompts; may be null

  // Finds what the prefix cache holds of a sequence that has computed nothing and counts it as computed; at
  // least one token is left to compute. O(units found).
  void take_prefix(Sequence& sequence);
  // Tokens of a prompt that take_prefix would find, without taking them. O(units found).
  std::int64_t cached_prefix(std::uint32_t request, std::int32_t input_tokens) const;
  // Takes the blocks that `tokens` more tokens need; false and no change when there are too few.
  bool grow(Sequence& sequence, std::int64_t tokens) {
    return hold(sequence, sequence.computed_tokens + tokens);
  }
  // Takes the blocks that `tokens` tokens in all need.
  bool hold(Sequence& sequence, std::int64_t tokens);
  // Offers what is computed by now to the prefix cache. O(units filled since the last call).
  void keep_prefix(Sequence& sequence);
  // Gives every block back and forgets what was computed; what the prefix cache keeps can be found again.
  void release(Sequence& sequence);

  // Releases the sequence and puts it at the head of the queue. The caller has taken it out of `running`.
  void preempt(Slot slot);

 private:
  std::span<const ContentSegment> content_of(std::uint32_t request) const;
};

}  // namespace warploom
