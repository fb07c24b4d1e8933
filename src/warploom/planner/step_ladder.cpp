#include "warploom/planner/step_ladder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warploom {
namespace {

// One step of every attention group at once, as engines run them that share a mixture of experts; `alone`: of
// one of them, while the others have nothing to do.
class LadderPrice {
 public:
  LadderPrice(StepPricer& pricer, const LoadProfile& load, bool alone)
      : pricer_(pricer), load_(load), groups_(alone ? 1 : std::int64_t(pricer.coupled_replicas())) {}

  double seconds(std::int64_t decode, std::int64_t prompt) {
    chunks_.clear();
    StepBatch batch;
    batch.decode_requests = decode;
    batch.decode_context_max = std::int32_t(load_.mean_context);
    batch.decode_context_sum = decode * batch.decode_context_max;
    const auto whole = std::max<std::int64_t>(1, std::llround(load_.mean_input));
    for (std::int64_t left = prompt; left > 0; left -= whole) {
      const std::int64_t tokens = std::min(left, whole);
      if (tokens == 1) continue;  // no chunk has one token
      chunks_.push_back({std::int32_t(tokens), 0});
      batch.chunk_tokens += tokens;
    }
    batch.chunks = chunks_;
    batch.emitting = batch.logits_rows = std::max<std::int64_t>(1, decode + std::ssize(chunks_));
    batch.widest_rank_tokens = batch.narrowest_rank_tokens = batch.tokens();
    batch.group_tokens = batch.tokens() * groups_;
    if (batch.tokens() < 1) return 0;
    return pricer_.price(batch).p50.value();
  }

 private:
  StepPricer& pricer_;
  const LoadProfile& load_;
  std::int64_t groups_;
  std::vector<PrefillChunk> chunks_;
};

std::vector<std::int64_t> doubling(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> sizes{0};
  for (std::int64_t size = first; size < last; size *= 2) sizes.push_back(size);
  if (last >= 1) sizes.push_back(last);
  return sizes;
}

}  // namespace

double EngineBounds::first_token_at(double fraction) const {
  double time = 0;
  for (const auto& [share, seconds] : first_tokens)
    if (share <= fraction) time = seconds;
  return time;
}

std::int64_t most_in_flight(const LoadProfile& load, const StepLimits& limits) {
  if (limits.kv_tokens == 0 || !(load.mean_held > 0)) return limits.max_num_seqs;
  const double held = std::ceil(double(limits.kv_tokens) / load.mean_held);
  return std::max<std::int64_t>(1, std::int64_t(std::min(double(limits.max_num_seqs), held)));
}

std::vector<LadderStep> ladder_of(StepPricer& pricer, const LoadProfile& load, const StepLimits& limits) {
  constexpr std::int64_t kLeastChunk = 128, kMostSequences = 4096;
  LadderPrice price(pricer, load, false);
  const std::int64_t tokens = limits.max_num_batched_tokens;
  const std::int64_t sequences = std::min({most_in_flight(load, limits), kMostSequences, tokens});
  const std::vector<std::int64_t> none{0};
  const auto decodes = limits.produces_tokens ? doubling(1, sequences) : none;
  const auto prompts = limits.computes_prompts ? doubling(std::min(kLeastChunk, tokens), tokens) : none;
  std::vector<LadderStep> steps;
  for (const std::int64_t decode : decodes)
    for (const std::int64_t prompt : prompts) {
      const std::int64_t chunk = std::min(prompt, tokens - decode);
      if (decode + chunk < 1) continue;
      steps.push_back({double(decode), double(chunk), price.seconds(decode, chunk)});
    }
  return steps;
}

double least_time(const std::vector<LadderStep>& steps, double output, double prompt) {
  double least = std::numeric_limits<double>::infinity();
  const auto covers = [](double need, double has) {
    return need <= 0 ? 0.0 : has > 0 ? need / has : std::numeric_limits<double>::infinity();
  };
  for (const LadderStep& a : steps) {
    least = std::min(
        least, a.seconds * std::max(covers(output, a.decode_requests), covers(prompt, a.prompt_tokens)));
    for (const LadderStep& b : steps) {
      const double determinant = a.decode_requests * b.prompt_tokens - b.decode_requests * a.prompt_tokens;
      if (!(determinant > 0)) continue;
      const double of_a = (output * b.prompt_tokens - b.decode_requests * prompt) / determinant;
      const double of_b = (a.decode_requests * prompt - output * a.prompt_tokens) / determinant;
      if (of_a >= 0 && of_b >= 0) least = std::min(least, of_a * a.seconds + of_b * b.seconds);
    }
  }
  return least;
}

EngineBounds bounds_of(StepPricer& pricer, const LoadProfile& load, const StepLimits& limits,
                       const std::vector<double>& fractions) {
  EngineBounds bounds;
  bounds.groups = double(pricer.coupled_replicas());
  bounds.in_flight = double(most_in_flight(load, limits));
  const std::vector<LadderStep> steps = ladder_of(pricer, load, limits);
  const double yield = double(limits.tokens_per_step);
  // The prompt's step yields the first token.
  const double decoded = limits.produces_tokens ? std::max(0.0, load.mean_output - 1) / yield : 0;
  const double prompt = limits.computes_prompts ? load.mean_input : 0;
  bounds.prompt_seconds = kBoundSlack * least_time(steps, 0, prompt);
  bounds.output_seconds = kBoundSlack * least_time(steps, decoded, 0);
  bounds.seconds_per_request = kBoundSlack * least_time(steps, decoded, prompt);
  LadderPrice price(pricer, load, true);
  if (limits.produces_tokens) bounds.per_token = kBoundSlack * price.seconds(1, 0) / yield;
  if (!limits.computes_prompts) return bounds;
  // A prompt alone, in steps of the budget's size.
  const auto alone = [&](std::int64_t tokens) {
    const std::int64_t full = tokens / limits.max_num_batched_tokens;
    const std::int64_t rest = tokens % limits.max_num_batched_tokens;
    double time = full > 0 ? double(full) * price.seconds(0, limits.max_num_batched_tokens) : 0;
    if (rest > 1) time += price.seconds(0, rest);
    return kBoundSlack * time;
  };
  std::vector<double> shares{0};
  shares.insert(shares.end(), fractions.begin(), fractions.end());
  std::sort(shares.begin(), shares.end());
  for (const double share : shares)
    bounds.first_tokens.emplace_back(share, alone(LoadProfile::at(load.inputs, share)));
  return bounds;
}

}  // namespace warploom
