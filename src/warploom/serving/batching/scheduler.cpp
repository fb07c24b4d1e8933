#include "warploom/serving/batching/scheduler.h"

#include <algorithm>

namespace warploom {

void ScheduledBatch::clear() {
  decode_contexts.clear();
  decode_queries.clear();
  chunks.clear();
  emitting.clear();
  first_scheduled.clear();
  decode_context_sum = 0;
  decode_context_max = 0;
  chunk_tokens = 0;
  draft_tokens = 0;
  images.clear();
}

void ScheduledBatch::add_drafted(Slot slot, SchedulerState& state, std::int64_t tokens) {
  Sequence& sequence = state.sequences[slot];
  const std::int64_t proposed = tokens - 1;
  const std::int64_t accepted =
      state.drafts.accepted(sequence.identity, sequence.outputs_scheduled, proposed);
  state.speculation.add(proposed, accepted);
  decode_queries.resize(decode_contexts.size(), 1);
  decode_queries.push_back(std::int32_t(tokens));
  decode_contexts.push_back(sequence.computed_tokens);
  decode_context_sum += sequence.computed_tokens;
  decode_context_max = std::max(decode_context_max, sequence.computed_tokens);
  draft_tokens += proposed;
  note(slot, sequence);
  const auto yielded =
      std::int32_t(std::min<std::int64_t>(1 + accepted, sequence.output_tokens - sequence.outputs_scheduled));
  sequence.computed_tokens += yielded;
  sequence.outputs_scheduled += yielded;
  emitting.push_back({slot, yielded});
}

void ScheduledBatch::add_image(const ImageShape& shape) {
  const auto known = std::find_if(images.begin(), images.end(),
                                  [&](const ImageCount& each) { return each.shape == &shape; });
  if (known == images.end())
    images.push_back({&shape, 1});
  else
    ++known->count;
}

void ScheduledBatch::remove_image(const ImageShape& shape) {
  for (ImageCount& each : images)
    if (each.shape == &shape) --each.count;
  std::erase_if(images, [](const ImageCount& each) { return each.count == 0; });
}

StepBatch ScheduledBatch::step() const {
  StepBatch batch;
  batch.decode_requests = std::ssize(decode_contexts);
  batch.decode_context_sum = decode_context_sum;
  batch.decode_context_max = decode_context_max;
  batch.decode_contexts = decode_contexts;
  batch.decode_queries = decode_queries;
  batch.draft_tokens = draft_tokens;
  batch.chunks = chunks;
  batch.chunk_tokens = chunk_tokens;
  batch.emitting = std::ssize(emitting);
  batch.logits_rows = batch.emitting + draft_tokens;
  batch.images = images;
  return batch;
}

}  // namespace warploom
