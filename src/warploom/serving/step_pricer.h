// The seam between the engine and whatever knows how long a forward pass takes on the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warploom/base/units.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// `tokens` new tokens of one request after `context` tokens that are already in the cache.
struct PrefillChunk {
  std::int32_t tokens = 0;
  std::int32_t context = 0;
};

// One forward pass of one replica. The span is valid during the call.
struct StepBatch {
  std::int64_t decode_requests = 0;      // requests with one sure new token each
  std::int64_t decode_context_sum = 0;   // of their tokens in the cache
  std::int32_t decode_context_max = 0;   // of one of them
  std::int32_t decode_query_tokens = 1;  // query tokens of the decoding request that has most
  std::int64_t draft_tokens = 0;         // proposed tokens that are verified, over all decoding requests
  std::span<const PrefillChunk> chunks;  // more than one token each
  std::int64_t chunk_tokens = 0;         // of chunks
  std::int64_t emitting = 0;             // requests that yield tokens
  std::int64_t logits_rows = 0;          // that enter lm_head: one for each of those and each token verified
  std::int64_t images = 0;               // encoded in this step
  std::int64_t group_tokens = 0;         // new tokens of all data-parallel ranks that step together
  std::int64_t widest_rank_tokens = 0;   // of the rank that has most: in a CUDA graph all are padded alike

  std::int64_t tokens() const { return decode_requests + draft_tokens + chunk_tokens; }
};

// GPU time of a step, p10 <= p50 <= p90. The interval counts the error of one kernel as the same in every
// layer, and the errors of different kernels as independent: half-widths of distinct operators add in
// quadrature, those of repeats add up. The same kernels return in the next step, so over steps p10 and p90
// add up.
struct StepCost {
  Seconds p10, p50, p90;
  Seconds collectives;  // part of p50
};

// GPU time of one kind of kernel, summed over the steps priced so far.
struct KernelTime {
  Family family = Family::Gemm;
  std::string label;  // its place in the model, for example "qkv_proj"
  Seconds time;
  double calls = 0;
};

// Two parts of a step whose errors are independent: half-widths add in quadrature.
StepCost joined_cost(const StepCost& a, const StepCost& b);

// Adds times and calls to those of the same family and label; new ones go to the end.
void add_kernel_times(std::vector<KernelTime>& sum, std::span<const KernelTime> kernels);

// Prices the steps of one replica. Not thread-safe: it fills tables as it goes; clone() for another thread.
class StepPricer {
 public:
  virtual ~StepPricer() = default;
  // batch.tokens() >= 1.
  virtual StepCost price(const StepBatch& batch) = 0;
  // Sums since construction or clone, largest time first; the times add up to the p50 of the steps priced.
  virtual std::vector<KernelTime> breakdown() const = 0;
  // The same prices (tables kept), with zero sums.
  virtual std::unique_ptr<StepPricer> clone() const = 0;
  // Data-parallel replicas that run every step together, because they hold one mixture of experts between
  // them.
  virtual std::size_t coupled_replicas() const { return 1; }
};

}  // namespace warploom
