#include "warploom/serving/workload/benchmark_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/random.h"

namespace warploom {
namespace {

constexpr std::uint64_t kPrefixContent = 1, kFirstOwnContent = 2;

struct Drawn {
  std::int64_t low, high;
};

Drawn drawn_from(std::int64_t length, const RandomPrompts& prompts) {
  const double ratio = prompts.range_ratio;
  if (prompts.range == LengthRange::UpTo) {
    const auto low = std::max<std::int64_t>(1, std::int64_t(ratio * double(length)));
    return {std::min(low, length), length};
  }
  return {std::int64_t(std::floor(double(length) * (1 - ratio))),
          std::int64_t(std::ceil(double(length) * (1 + ratio)))};
}

void check_ranges(const RandomPrompts& prompts, const Drawn& input, const Drawn& output) {
  check(prompts, "random prompts");
  constexpr double kAlmostAll = 0.999999;  // of the length: lengths around it could be 0
  if (prompts.range == LengthRange::Around ? prompts.range_ratio > kAlmostAll : prompts.range_ratio <= 0)
    throw InvalidInput(fmt::format(
        "random_range_ratio: 'random_range_ratio' is {}, expected {}", prompts.range_ratio,
        prompts.range == LengthRange::Around ? "0 to 0.999999"
                                             : "above 0 and at most 1 with `random_range` up_to"));
  if (prompts.prefix_len + input.low < 1)
    throw InvalidInput(
        fmt::format("--random-input-len {} with --random-range-ratio {} gives prompts of {} tokens, expected "
                    "at least 1; or --random-prefix-len above 0",
                    prompts.input_len, prompts.range_ratio, input.low));
  if (prompts.prefix_len + input.high > kMaxRequestTokens || output.high > kMaxRequestTokens)
    throw InvalidInput(fmt::format("random prompts: up to {} input and {} output tokens, expected at most {}",
                                   prompts.prefix_len + input.high, output.high, kMaxRequestTokens));
}

void add_contents(Workload& workload, const RandomPrompts& prompts) {
  if (prompts.prefix_len == 0) return;
  workload.content_begin.push_back(0);
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    const std::int32_t own = workload.requests[i].input_tokens - std::int32_t(prompts.prefix_len);
    workload.content.push_back({kPrefixContent, std::int32_t(prompts.prefix_len)});
    if (own > 0) workload.content.push_back({kFirstOwnContent + i, own});
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
  }
}

}  // namespace

FieldTable RandomPrompts::describe() {
  using P = RandomPrompts;
  return FieldList<P>("random_prompts")
      .add("random_input_len", &P::input_len,
           {.doc = "prompts of random tokens, so many", .min = 0, .max = double(kMaxRequestTokens)})
      .add("random_output_len", &P::output_len,
           {.doc = "tokens that each produces", .min = 1, .max = double(kMaxRequestTokens)})
      .add("random_range_ratio", &P::range_ratio,
           {.doc = "r: both lengths are drawn from length (1 - r) to length (1 + r); see random_range",
            .min = 0,
            .max = 1})
      .add("random_prefix_len", &P::prefix_len,
           {.doc = "further tokens at the start, the same in every prompt",
            .min = 0,
            .max = double(kMaxRequestTokens)})
      .add(
          "random_range", &P::range,
          {.doc = "what r means: around, as vLLM has it; up_to, from length r to length, as InferenceX does"})
      .table();
}

Workload random_prompts(const RandomPrompts& prompts, std::int64_t requests, std::uint64_t seed) {
  const Drawn input = drawn_from(prompts.input_len, prompts);
  Drawn output = drawn_from(prompts.output_len, prompts);
  output.low = std::max<std::int64_t>(1, output.low);
  check_ranges(prompts, input, output);
  if (requests < 1) throw InvalidInput(fmt::format("--num-prompts is {}, expected at least 1", requests));
  Workload workload;
  workload.name = fmt::format("random {} in, {} out", prompts.input_len, prompts.output_len);
  if (prompts.range_ratio > 0) workload.name += fmt::format(", range ratio {:g}", prompts.range_ratio);
  if (prompts.prefix_len > 0) workload.name += fmt::format(", prefix {}", prompts.prefix_len);
  workload.timed = false;
  workload.requests.reserve(std::size_t(requests));
  RandomStream random(seed, "lengths");
  for (std::int64_t i = 0; i < requests; ++i) {
    const auto own = std::int32_t(random.integer(input.low, input.high));
    workload.requests.push_back({SimTime(), std::int32_t(prompts.prefix_len) + own,
                                 std::int32_t(random.integer(output.low, output.high))});
  }
  add_contents(workload, prompts);
  return workload;
}

void set_benchmark_arrivals(Workload& workload, double rate, double burstiness, std::uint64_t seed) {
  if (!(rate > 0)) throw InvalidInput(fmt::format("--request-rate is {}, expected above 0 or inf", rate));
  if (!(burstiness > 0 && burstiness <= 1e6))
    throw InvalidInput(fmt::format("--burstiness is {}, expected above 0 and at most 1e6", burstiness));
  RandomStream random(seed, "arrivals");
  std::vector<double> at;
  double time = 0;
  for (std::size_t i = 0; i < workload.requests.size(); ++i)
    at.push_back(time += std::isinf(rate) ? 0 : random.gamma(burstiness, 1.0 / (rate * burstiness)));
  const double scale = time > 0 ? double(at.size()) / rate / time : 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    workload.requests[i].arrival = to_sim_time(Seconds(at[i] * scale));
  workload.timed = true;
  workload.concurrency.reset();
}

}  // namespace warploom
