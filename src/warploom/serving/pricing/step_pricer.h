// The seam between the engine and whatever knows how long a forward pass takes on the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warploom/base/units.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"
#include "warploom/models/vision_operators.h"

namespace warploom {

// `tokens` new tokens of one request after `context` tokens that are already in the cache.
struct PrefillChunk {
  std::int32_t tokens = 0;
  std::int32_t context = 0;
};

// One forward pass of one replica. Spans are valid during the call.
struct StepBatch {
  std::int64_t decode_requests = 0;               // requests with one sure new token each
  std::int64_t decode_context_sum = 0;            // of their tokens in the cache
  std::int32_t decode_context_max = 0;            // of one of them
  std::span<const std::int32_t> decode_contexts;  // of each; empty: all as the mean of them
  std::span<const std::int32_t> decode_queries;   // new tokens of the first ones, drafts included
  std::int64_t draft_tokens = 0;         // proposed tokens that are verified, over all decoding requests
  std::span<const PrefillChunk> chunks;  // more than one token each
  std::int64_t chunk_tokens = 0;         // of chunks
  std::int64_t emitting = 0;             // requests that yield tokens
  std::int64_t logits_rows = 0;          // that enter lm_head: one for each of those and each token verified
  std::span<const ImageCount> images;    // encoded in this step
  std::int64_t group_tokens = 0;         // new tokens of all data-parallel ranks that step together
  std::int64_t widest_rank_tokens = 0;   // of the rank that has most: in a CUDA graph all are padded alike
  std::int64_t narrowest_rank_tokens = 0;  // of the rank that has least
  // What this step's tokens choose, in standard deviations of the busiest rank's time; 0: their mean.
  double step_draw = 0;

  std::int64_t tokens() const { return decode_requests + draft_tokens + chunk_tokens; }
  // New tokens of a decoding request; those without an entry have one.
  std::int32_t queries_of(std::size_t request) const {
    return request < decode_queries.size() ? decode_queries[request] : 1;
  }
  // Requests that decode one token each after so many in the cache; the span must outlive the batch.
  void set_decode(std::span<const std::int32_t> contexts);
};

// GPU time of a step, p10 <= p50 <= p90. The interval counts the errors of kernels of one kind as the same
// and those of different kinds as nearly independent (joint_error.h). The same kernels return in the next
// step, so over steps p10 and p90 add up.
struct StepCost {
  Seconds p10, p50, p90;
  Seconds collectives;  // part of p50
  // Part of them: what images took to encode.
  Seconds images_p10{0.0}, images_p50{0.0}, images_p90{0.0};
};

// What a price rests on: the measured implementation that answered, and how well it is known here.
struct KernelSource {
  Tier tier = Tier::Measured;
  bool extrapolated = false;                    // outside the measured domain
  bool stands_in = false;                       // for another kernel, never measured on this GPU
  bool in_step = false;                         // its time was changed to that inside a step of an engine
  std::string framework, version, kernel;       // empty: physics alone, or not told
  std::string stands_in_for;                    // what was asked for, in words
  std::optional<MatmulScheme> scheme_priced{};  // where it is not the operator's own

  KernelSource() = default;
  // The source of `answer` to the question for `op` with `asked`.
  KernelSource(const KernelAnswer& answer, const Operator& op, const KernelContext& asked);
  bool operator==(const KernelSource&) const = default;
};

// GPU time of one kind of kernel, summed over the steps priced so far.
struct KernelTime {
  Family family = Family::Gemm;
  std::string label;  // its place in the model, for example "qkv_proj"
  Seconds time;
  double calls = 0;
  KernelSource source{};
};

// Two passes within a step, over kernels of the same kinds, whose errors are the same.
StepCost joined_cost(const StepCost& a, const StepCost& b);

// Adds times and calls to those of the same family, label and source; new ones go to the end.
void add_kernel_times(std::vector<KernelTime>& sum, std::span<const KernelTime> kernels);

// Prices the steps of one replica. Not thread-safe: it fills tables as it goes; clone() for another thread.
class StepPricer {
 public:
  virtual ~StepPricer() = default;
  // batch.tokens() >= 1.
  virtual StepCost price(const StepBatch& batch) = 0;
  // Sums since construction or clone, largest time first; the times add up to the p50 of the steps priced. A
  // kernel whose price rested on several sources is listed once for each.
  virtual std::vector<KernelTime> breakdown() const = 0;
  // The same prices (tables kept), with zero sums.
  virtual std::unique_ptr<StepPricer> clone() const = 0;
  // Data-parallel replicas that run every step together, because they hold one mixture of experts between
  // them.
  virtual std::size_t coupled_replicas() const { return 1; }
};

}  // namespace warploom
