// Chooses the tokens of the next step.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/serving/sequence.h"
#include "warploom/serving/serving_config.h"
#include "warploom/serving/step_pricer.h"

namespace warploom {

// Tokens chosen for one step; reused from step to step, so that a run stops allocating.
struct ScheduledBatch {
  std::vector<std::int32_t> decode_contexts;
  std::vector<PrefillChunk> chunks;
  std::vector<Slot> emitting;         // each of these gives one token when the step ends
  std::vector<Slot> first_scheduled;  // in a batch for the first time
  std::vector<Slot> scheduled;        // everything in the batch
  std::int64_t decode_context_sum = 0;
  std::int32_t decode_context_max = 0;
  std::int64_t chunk_tokens = 0;

  std::int64_t tokens() const { return std::int64_t(decode_contexts.size()) + chunk_tokens; }
  std::int64_t sequences() const { return std::int64_t(decode_contexts.size() + chunks.size()); }
  bool empty() const { return decode_contexts.empty() && chunks.empty(); }
  void clear();
  // Books `tokens` more tokens of a sequence: advances its counters and notes whether it emits.
  void add(Slot slot, Sequence& sequence, std::int32_t tokens);
  // A view; valid until the batch changes.
  StepBatch step(std::int64_t group_tokens) const;
};

// The limits of a run, with every default filled in.
struct SchedulerLimits {
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t long_prefill_token_threshold = 0;
  bool enable_chunked_prefill = true;
  bool reserve_full_prompt = true;        // vLLM
  std::int64_t chunked_prefill_size = 0;  // SGLang; 0 = prompts are not cut
  double conservativeness = 1;            // SGLang
  bool mix_decode = false;                // SGLang
  std::int64_t receive_interval = 1;      // SGLang: decode steps between looks for new requests
  bool guaranteed_no_evict = true;        // TensorRT-LLM
};
SchedulerLimits limits_of(const ServingConfig& config);

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Fills an empty `batch`, moving sequences between waiting and running and taking KV blocks. An empty
  // result means that nothing can run before a step in flight ends or a request arrives.
  virtual void schedule(SchedulerState& state, ScheduledBatch& batch) = 0;
};

}  // namespace warploom
