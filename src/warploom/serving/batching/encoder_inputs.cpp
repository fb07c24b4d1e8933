#include "warploom/serving/batching/encoder_inputs.h"

#include <algorithm>

namespace warploom {

std::int64_t EncoderInputs::limit(SchedulerState& state, Slot slot, std::int64_t computed,
                                  std::int64_t tokens) {
  noted_.clear();
  const Sequence& sequence = state.sequences[slot];
  if (!state.encoder || sequence.images == 0 || tokens == 0) return tokens;
  const auto images = state.workload->images_of(sequence.request);
  std::int64_t begin = 0, budget = budget_, coming = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::int64_t size = state.workload->image_shapes[images[i]].tokens, end = begin + size;
    if (begin >= computed + tokens) break;
    if (end > computed) {
      state.note_image_holder(slot);
      const bool kept = state.encoder->hold(EncoderCache::key_of(sequence.request, i));
      const bool in_budget = sequence.encoded || size <= budget;
      if (!kept && !(in_budget && state.encoder->make_room(coming + size)))
        return std::max<std::int64_t>(0, begin - computed);
      if (!kept) {
        noted_.push_back({slot, sequence.request, std::uint32_t(i)});
        coming += size;
        if (!sequence.encoded) budget -= size;
      }
    }
    begin = end;
  }
  return tokens;
}

void EncoderInputs::take(SchedulerState& state, ScheduledBatch& batch) {
  for (const Chosen& chosen : noted_) {
    const ImageShape& shape =
        state.workload->image_shapes[state.workload->images_of(chosen.request)[chosen.image]];
    state.encoder->add(EncoderCache::key_of(chosen.request, chosen.image), shape.tokens);
    if (state.sequences[chosen.slot].encoded) continue;
    budget_ -= shape.tokens;
    batch.add_image(shape);
    taken_.push_back(chosen);
  }
  noted_.clear();
}

void EncoderInputs::drop(SchedulerState& state, Slot slot) {
  noted_.clear();
  state.let_go_images(slot);
}

void EncoderInputs::give_back(SchedulerState& state, ScheduledBatch& batch, Slot slot) {
  std::erase_if(taken_, [&](const Chosen& chosen) {
    if (chosen.slot != slot) return false;
    const ImageShape& shape =
        state.workload->image_shapes[state.workload->images_of(chosen.request)[chosen.image]];
    state.encoder->forget(EncoderCache::key_of(chosen.request, chosen.image));
    budget_ += shape.tokens;
    batch.remove_image(shape);
    return true;
  });
}

}  // namespace warploom
