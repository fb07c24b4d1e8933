// Two-batch overlap: a step's tokens in two halves, so that the exchange of one half with its experts runs
// beside the computing of the other (vLLM's dual-batch overlap, SGLang's two-batch overlap).
#pragma once

#include <cstdint>

#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// When an engine splits a step. All ranks that step together split or none does.
struct BatchOverlap {
  std::int64_t decode_from = 0;   // tokens of the smallest rank, in steps that decode alone; 0: never
  std::int64_t prompts_from = 0;  // the same in steps with prompts; 0: never
  // Parts of the SMs, for what computes while an exchange takes the others.
  double decode_share = 1, prompts_share = 1;

  // With one token there are no halves.
  bool splits(const StepBatch& batch) const;
  double share_of(const StepBatch& batch) const {
    return batch.chunk_tokens > 0 ? prompts_share : decode_share;
  }
};

// What the exchange of a split step saves, given what both halves compute and exchange one after another,
// over so many layers. Of the exchange all runs beside computing but the first dispatch and the last
// combine: of four a layer, half of one layer's. Beside it computing goes at that share of the SMs. Never
// below zero.
double overlapped_seconds(double share, double computing, double exchange, std::int64_t layers);

}  // namespace warploom
