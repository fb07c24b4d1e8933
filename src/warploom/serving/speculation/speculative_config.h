// Speculative decoding as the engines are told of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/serving/speculation/draft_method.h"

namespace warploom {

struct ServingConfig;

struct SpeculativeConfig {
  const DraftMethod* method = nullptr;  // null: nobody proposes tokens
  std::string model;                    // who drafts: a name or the path of a config.json; empty: not told
  std::string quantization;             // of that: a MatmulScheme's name; empty = as stored
  std::optional<std::int64_t> tensor_parallel;  // GPUs that share the drafter; absent: the target's
  std::int64_t steps = 0;                       // tokens proposed: the most that can be accepted
  std::int64_t verified_tokens = 1;  // query tokens of a request in a verifying step, the sure one included
  // Probability that the first i + 1 proposed tokens are all accepted; `steps` values, none above the one
  // before it.
  std::vector<double> acceptance;
  double proposal_rate = 1;  // share of the steps in which something is proposed (n-gram look-ups miss)

  // Whether a draft model is asked for by its kind alone.
  bool drafts_by(std::string_view name) const { return method != nullptr && method->name == name; }
  bool on() const { return method != nullptr; }
};

// Reads speculative_config (vLLM's JSON; TensorRT-LLM's keys too) or SGLang's speculative_* fields, and the
// acceptance that the user states. Without acceptance a run is refused: it decides the result, and no two
// workloads share it. Throws InvalidInput, Unsupported (a method that is not modelled).
enum class UnsaidTokens {
  Refused,
  Allowed
};  // Allowed: steps may be 0, and acceptance is not looked at then
SpeculativeConfig speculation_of(const ServingConfig& config, UnsaidTokens unsaid = UnsaidTokens::Refused);

// Unconditional rates from a mean accepted length (the sure token counted, as engines report it) when each
// token is accepted with one probability after its predecessor.
std::vector<double> geometric_acceptance(double length, std::int64_t steps);
// vLLM's schedule of least variance for `synthetic_acceptance_length`: 1, ..., 1, a fraction, 0, ..., 0.
std::vector<double> even_acceptance(double length, std::int64_t steps);

}  // namespace warploom
