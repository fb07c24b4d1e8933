#include "warploom/serving/batching/scheduler.h"

#include <algorithm>

namespace warploom {

void ScheduledBatch::clear() {
  decode_contexts.clear();
  chunks.clear();
  emitting.clear();
  first_scheduled.clear();
  scheduled.clear();
  decode_context_sum = 0;
  decode_context_max = 0;
  chunk_tokens = 0;
}

void ScheduledBatch::add(Slot slot, Sequence& sequence, std::int32_t tokens) {
  if (tokens == 1) {
    decode_contexts.push_back(sequence.computed_tokens);
    decode_context_sum += sequence.computed_tokens;
    decode_context_max = std::max(decode_context_max, sequence.computed_tokens);
  } else {
    chunks.push_back({tokens, sequence.computed_tokens});
    chunk_tokens += tokens;
  }
  if (!sequence.was_scheduled) {
    sequence.was_scheduled = true;
    first_scheduled.push_back(slot);
  }
  sequence.computed_tokens += tokens;
  scheduled.push_back(slot);
  if (sequence.computed_tokens == sequence.known_tokens()) {
    ++sequence.outputs_scheduled;
    emitting.push_back(slot);
  }
}

StepBatch ScheduledBatch::step(std::int64_t group_tokens) const {
  StepBatch batch;
  batch.decode_contexts = decode_contexts;
  batch.decode_context_sum = decode_context_sum;
  batch.decode_context_max = decode_context_max;
  batch.chunks = chunks;
  batch.chunk_tokens = chunk_tokens;
  batch.logits_rows = std::int64_t(emitting.size());
  batch.group_tokens = group_tokens;
  return batch;
}

SchedulerLimits limits_of(const ServingConfig& config) {
  SchedulerLimits limits;
  limits.max_num_seqs = config.max_num_seqs.value_or(limits.max_num_seqs);
  limits.max_num_batched_tokens = config.max_num_batched_tokens.value_or(limits.max_num_batched_tokens);
  limits.long_prefill_token_threshold = config.long_prefill_token_threshold;
  limits.enable_chunked_prefill = chunks_prompts(config);
  limits.reserve_full_prompt = config.scheduler_reserve_full_isl;
  limits.chunked_prefill_size = config.chunked_prefill_size.value_or(limits.chunked_prefill_size);
  limits.conservativeness = config.schedule_conservativeness;
  limits.receive_interval = config.scheduler_recv_interval;
  limits.mix_decode = config.enable_mixed_chunk;
  limits.guaranteed_no_evict = config.capacity_scheduler_policy == "guaranteed_no_evict";
  return limits;
}

}  // namespace warploom
