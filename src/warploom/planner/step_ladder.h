// Bounds of what an engine can do, from the prices of a few of its steps.
//
// A run is a list of steps, each of which decodes some requests and computes some tokens of prompts. However
// they are mixed, the steps together must cover every output token and every prompt token, so the least total
// time is a linear programme over the kinds of steps: at its optimum at most two kinds are mixed. Latencies
// of a request are at least those of a request that has the engine to itself. Steps between those that are
// priced, and tiles that make a larger step cheaper than a smaller one, are allowed for by kBoundSlack.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "warploom/planner/load_profile.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// Share of a computed bound that is relied on. Between neighbouring sizes of the ladder, which are a
// factor of
// two apart, time per token was within 15 % of the line between them for the shipped predictor.
inline constexpr double kBoundSlack = 0.85;

// What the engine may put into a step.
struct StepLimits {
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t tokens_per_step = 1;  // that one request may get from a step, drafts included
  std::int64_t kv_tokens = 0;        // that the cache holds; 0: any number
  bool computes_prompts = true, produces_tokens = true;
};

// A kind of step of one attention group, and how long it takes on the GPU.
struct LadderStep {
  double decode_requests = 0, prompt_tokens = 0;
  double seconds = 0;
};

// Bounds of one instance. Times in s, of an idle engine without a host, kBoundSlack included.
struct EngineBounds {
  double seconds_per_request = 0;                 // of one attention group's time, at the best mix of steps
  double prompt_seconds = 0, output_seconds = 0;  // of a request, were its prompts or its outputs alone
  double per_token = 0;                           // between tokens, of a request alone
  double in_flight = 0;                           // requests of a group at once, at most, in the mean
  double groups = 1;                              // attention groups, each with requests of its own
  // Share of the requests, ascending from 0, and the least time to a first token that the others need.
  std::vector<std::pair<double, double>> first_tokens;
  double first_token_at(double fraction) const;
};

// Requests of the load that the engine has in flight at most, in the mean over time: each holds
// load.mean_held tokens of the cache in the mean over its steps.
std::int64_t most_in_flight(const LoadProfile& load, const StepLimits& limits);

// The steps that the bounds rest on, of batches up to most_in_flight. The pricer's tables fill. About 80
// prices.
std::vector<LadderStep> ladder_of(StepPricer& pricer, const LoadProfile& load, const StepLimits& limits);

// Least time for `output` tokens and `prompt` tokens over mixes of `steps`; infinite when none covers them.
double least_time(const std::vector<LadderStep>& steps, double output, double prompt);

// `fractions` at which first tokens are asked for; 0 is always among them.
EngineBounds bounds_of(StepPricer& pricer, const LoadProfile& load, const StepLimits& limits,
                       const std::vector<double>& fractions);

}  // namespace warploom
