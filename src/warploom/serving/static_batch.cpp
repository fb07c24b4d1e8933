#include "warploom/serving/static_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/statistics.h"
#include "warploom/serving/pricing/cuda_graph.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {
namespace {

void check_batch(std::span<const std::int32_t> prompts, std::int64_t output_tokens) {
  if (prompts.empty()) throw InvalidInput("static batch: no prompts, expected at least one");
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    if (prompts[i] < 1) {
      throw InvalidInput(
          fmt::format("static batch: prompt {} has {} tokens, expected at least 1", i, prompts[i]));
    }
  }
  if (output_tokens < 1) {
    throw InvalidInput(fmt::format("static batch: {} output tokens, expected at least 1", output_tokens));
  }
}

// Prompts of one token are steps of one token, as engines run them; their contexts are empty.
StepBatch prefill_batch(std::span<const std::int32_t> prompts, std::vector<PrefillChunk>& chunks) {
  StepBatch batch;
  for (const std::int32_t tokens : prompts) {
    if (tokens == 1) {
      ++batch.decode_requests;
    } else {
      chunks.push_back({tokens, 0});
      batch.chunk_tokens += tokens;
    }
  }
  batch.chunks = chunks;
  return batch;
}

StepBatch decode_batch(std::span<const std::int32_t> contexts) {
  StepBatch batch;
  batch.set_decode(contexts);
  return batch;
}

}  // namespace

StaticBatchTime price_static_batch(std::span<const std::int32_t> prompts, std::int64_t output_tokens,
                                   StepPricer& pricer, const HostModel& host, std::int64_t prefill_graph) {
  check_batch(prompts, output_tokens);
  const auto size = std::int64_t(prompts.size());
  std::vector<PrefillChunk> chunks;
  StepBatch batch = prefill_batch(prompts, chunks);
  std::vector<std::int32_t> contexts(prompts.begin(), prompts.end());
  StaticBatchTime time;
  std::vector<double> decode;
  for (std::int64_t step = 0; step < output_tokens; ++step) {
    if (step >= 1) batch = decode_batch(contexts);
    batch.emitting = batch.logits_rows = size;
    batch.group_tokens = batch.tokens();
    const StepCost cost = pricer.price(batch);
    const bool launches = launches_one_by_one(batch.chunk_tokens, batch.tokens(), prefill_graph);
    const Seconds added = host.overhead(cost.p50, size, launches);
    const Seconds whole = to_sim_duration(cost.p50 + added).seconds();
    time.total += whole;
    time.total_p10 += cost.p10 + host.overhead(cost.p10, size, launches);
    time.total_p90 += cost.p90 + host.overhead(cost.p90, size, launches);
    time.host += added;
    time.collectives += cost.collectives;
    if (step == 0) {
      time.prefill = whole;
    } else {
      decode.push_back(whole.value());
      for (std::int32_t& context : contexts) ++context;
    }
  }
  if (!decode.empty()) {
    time.decode_mean = Seconds(mean(decode));
    time.decode_median = Seconds(quantile(decode, 0.5));
  }
  return time;
}

}  // namespace warploom
