#include "warploom/serving/batching/encoder_inputs.h"

#include <algorithm>

namespace warploom {

std::int64_t EncoderInputs::limit(SchedulerState& state, Slot slot, std::int64_t computed,
                                  std::int64_t tokens) {
  noted_.clear();
  const Sequence& sequence = state.sequences[slot];
  if (!state.encoder || sequence.images == 0 || tokens == 0) return tokens;
  std::int64_t budget = budget_, coming = 0;
  for (const PlacedImage& image : state.workload->images_of(sequence.request)) {
    if (image.begin >= computed + tokens) break;
    const std::int64_t size = state.workload->tokens_of(image);
    if (image.begin + size <= computed) continue;
    state.note_image_holder(slot);
    if (state.encoder->hold(image.identity, sequence.request)) continue;
    const bool in_budget = sequence.encoded || size <= budget;
    if (!in_budget || !state.encoder->make_room(coming + size))
      return std::max<std::int64_t>(0, image.begin - computed);
    noted_.push_back({slot, sequence.request, image});
    coming += size;
    if (!sequence.encoded) budget -= size;
  }
  return tokens;
}

void EncoderInputs::take(SchedulerState& state, ScheduledBatch& batch) {
  for (const Chosen& chosen : noted_) {
    const ImageShape& shape = state.workload->image_shapes[chosen.image.shape];
    state.encoder->add(chosen.image.identity, chosen.request, shape.tokens);
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
    const ImageShape& shape = state.workload->image_shapes[chosen.image.shape];
    if (!state.encoder->forget(chosen.image.identity, chosen.request)) return true;
    budget_ += shape.tokens;
    batch.remove_image(shape);
    return true;
  });
}

}  // namespace warploom
