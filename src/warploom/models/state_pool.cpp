#include "warploom/models/state_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

constexpr std::int64_t kPaddingSlots = 1;

std::int64_t slots_by_ratio(const StatePoolRule& rule, Bytes state, Bytes rest) {
  const double budget = rest / state * rule.ratio / (1 + rule.ratio);
  const auto drafts = double(rule.verified_tokens), each = double(rule.slots_of_request);
  const double padding = double(kPaddingSlots) * (1 + drafts);
  return std::int64_t(std::floor((budget - padding) / (1 + drafts / each)));
}

}  // namespace

StatePool state_pool(const StatePoolRule& rule, Bytes state, Bytes rest) {
  StatePool pool;
  pool.slots = rule.slots ? *rule.slots : slots_by_ratio(rule, state, rest);
  pool.requests = pool.slots / rule.slots_of_request;
  pool.held = rule.held_slots;
  const std::int64_t drafting = std::min(rule.requests, pool.requests) + kPaddingSlots;
  const std::int64_t states = pool.slots + kPaddingSlots + drafting * rule.verified_tokens;
  pool.bytes = state * double(std::max<std::int64_t>(0, states));
  return pool;
}

std::string explain_pool(const StatePoolRule& rule, const StatePool& pool, Bytes state) {
  return fmt::format(
      "states of recurrent layers: {} slots of {:.1f} MiB are enough for no request, which takes {}; raise "
      "`gpu_memory_utilization` or `mamba_full_memory_ratio`, or use more GPUs",
      std::max<std::int64_t>(0, pool.slots), state.value() / (1 << 20), rule.slots_of_request);
}

}  // namespace warploom
