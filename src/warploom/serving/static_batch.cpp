#include "warploom/serving/static_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/statistics.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/host/step_timeline.h"

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

// Steps one after the other, as a replica that has nothing else to do runs them.
class Clock {
 public:
  explicit Clock(const ServingConfig& config) : timeline_(1, schedules_ahead(config) ? 2 : 1) {}

  void run(const HostStep& host, Seconds gpu) {
    if (timeline_.full()) end_oldest();
    timeline_.begin(now_, host, gpu);
  }
  // The time at which the tokens of the oldest step came.
  SimTime end_oldest() {
    now_ = timeline_.oldest_end();
    timeline_.finish(now_);
    ends_.push_back(now_);
    return now_;
  }
  // When the tokens of each step came.
  std::vector<SimTime> ends() {
    while (timeline_.in_flight() > 0) end_oldest();
    return std::move(ends_);
  }

 private:
  StepTimeline timeline_;
  SimTime now_;
  std::vector<SimTime> ends_;
};

}  // namespace

StaticBatchTime price_static_batch(std::span<const std::int32_t> prompts, std::int64_t output_tokens,
                                   StepPricer& pricer, const ServingConfig& config) {
  check_batch(prompts, output_tokens);
  const auto size = std::int64_t(prompts.size());
  const GraphLimits graphs = graph_limits_of(config);
  std::vector<PrefillChunk> chunks;
  StepBatch batch = prefill_batch(prompts, chunks);
  std::vector<std::int32_t> contexts(prompts.begin(), prompts.end());
  StaticBatchTime time;
  Clock low(config), mid(config), high(config);
  Seconds gpu;
  for (std::int64_t step = 0; step < output_tokens; ++step) {
    if (step >= 1) batch = decode_batch(contexts);
    batch.emitting = batch.logits_rows = size;
    batch.group_tokens = batch.tokens();
    const StepCost cost = pricer.price(batch);
    const HostStep host = config.host.step(size, graphs.mode(batch.chunk_tokens, batch.tokens()));
    low.run(host, cost.p10);
    mid.run(host, cost.p50);
    high.run(host, cost.p90);
    gpu += cost.p50;
    time.collectives += cost.collectives;
    if (step >= 1)
      for (std::int32_t& context : contexts) ++context;
  }
  const std::vector<SimTime> ends = mid.ends();
  std::vector<double> decode;
  for (std::size_t i = 1; i < ends.size(); ++i) decode.push_back((ends[i] - ends[i - 1]).seconds().value());
  time.prefill = ends.front().seconds();
  time.total = ends.back().seconds();
  time.total_p10 = low.ends().back().seconds();
  time.total_p90 = high.ends().back().seconds();
  time.host = time.total - gpu;
  if (!decode.empty()) {
    time.decode_mean = Seconds(mean(decode));
    time.decode_median = Seconds(quantile(decode, 0.5));
  }
  return time;
}

}  // namespace warploom
