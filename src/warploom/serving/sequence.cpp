#include "warploom/serving/sequence.h"

namespace warploom {

void SchedulerState::preempt(Slot slot) {
  Sequence& sequence = sequences[slot];
  kv_cache.release(sequence.blocks);
  sequence.blocks = 0;
  sequence.computed_tokens = 0;
  ++sequence.preemptions;
  ++preemptions;
  waiting.push_front(slot);
}

}  // namespace warploom
