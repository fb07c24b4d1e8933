// The load that `vllm bench serve` makes: its random data set and its arrivals (vllm/benchmarks/serve.py,
// datasets/random.py).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// What a range ratio r means: vLLM's own since 0.9, around the length; or InferenceX's, which vLLM had
// before.
enum class LengthRange {
  Around,  // from length (1 - r) to length (1 + r); 0: the length itself
  UpTo,    // from length r to the length; 1: the length itself
};
template <>
struct EnumNames<LengthRange> {
  static constexpr std::array<std::pair<LengthRange, std::string_view>, 2> kNames{
      {{LengthRange::Around, "around"}, {LengthRange::UpTo, "up_to"}}};
};

// The random data set. Lengths are drawn evenly from [floor(length (1 - ratio)), ceil(length (1 + ratio))],
// or, with LengthRange::UpTo, from [floor(length ratio), length], never below 1; the prefix is the same for
// every prompt and comes on top. What a tokenizer adds by itself is not subtracted.
struct RandomPrompts {
  std::int64_t input_len = 1024;
  std::int64_t output_len = 128;
  double range_ratio = 0;
  std::int64_t prefix_len = 0;
  LengthRange range = LengthRange::Around;

  static FieldTable describe();
};

// Arrivals are zero: set them or close the loop. Throws InvalidInput on values out of range and on prompts
// that could be empty.
Workload random_prompts(const RandomPrompts& prompts, std::int64_t requests, std::uint64_t seed);

// Gaps from a gamma distribution of shape `burstiness` (1: Poisson) before every request, the first too,
// scaled so that the last one comes after requests / rate seconds. An infinite rate sends all at once.
// Throws InvalidInput unless rate and burstiness are above 0.
void set_benchmark_arrivals(Workload& workload, double rate, double burstiness, std::uint64_t seed);

}  // namespace warploom
