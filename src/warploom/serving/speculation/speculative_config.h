// Speculative decoding as the engines are told of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"

namespace warploom {

struct ServingConfig;

// Who proposes tokens. Eagle: one dense decoder layer over the target's hidden states; Eagle3: one over those
// of three of its layers, with a vocabulary of its own; Mtp: the checkpoint's own prediction layer; Ngram: a
// look-up in the prompt, on the CPU.
enum class DraftMethod { None, DraftModel, Eagle, Eagle3, Mtp, Ngram };
template <>
struct EnumNames<DraftMethod> {
  static constexpr std::array<std::pair<DraftMethod, std::string_view>, 6> kNames{
      {{DraftMethod::None, "none"},
       {DraftMethod::DraftModel, "draft_model"},
       {DraftMethod::Eagle, "eagle"},
       {DraftMethod::Eagle3, "eagle3"},
       {DraftMethod::Mtp, "mtp"},
       {DraftMethod::Ngram, "ngram"}}};
};

struct SpeculativeConfig {
  DraftMethod method = DraftMethod::None;
  std::string model;         // of DraftModel: a name or the path of a config.json
  std::string quantization;  // of DraftModel and EAGLE: a MatmulScheme's name; empty = as stored
  std::optional<std::int64_t> tensor_parallel;  // GPUs that share the drafter; absent: the target's
  std::int64_t steps = 0;            // tokens proposed one after another: the most that can be accepted
  std::int64_t verified_tokens = 1;  // query tokens of a request in a verifying step, the sure one included
  // Probability that the first i + 1 proposed tokens are all accepted; `steps` values, none above the one
  // before it.
  std::vector<double> acceptance;
  double proposal_rate = 1;  // share of the steps in which something is proposed (n-gram look-ups miss)

  bool on() const { return method != DraftMethod::None; }
};

// Reads speculative_config (vLLM's JSON; TensorRT-LLM's keys too) or SGLang's speculative_* fields, and the
// acceptance that the user states. Without acceptance a run is refused: it decides the result, and no two
// workloads share it. Throws InvalidInput, Unsupported (a method that is not modelled).
SpeculativeConfig speculation_of(const ServingConfig& config);

// Unconditional rates from a mean accepted length (the sure token counted, as engines report it) when each
// token is accepted with one probability after its predecessor.
std::vector<double> geometric_acceptance(double length, std::int64_t steps);
// vLLM's schedule of least variance for `synthetic_acceptance_length`: 1, ..., 1, a fraction, 0, ..., 0.
std::vector<double> even_acceptance(double length, std::int64_t steps);

}  // namespace warploom
