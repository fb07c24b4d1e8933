#include "warploom/steps/step_sampling.h"

#include <variant>

#include "warploom/steps/apply_rule.h"

namespace warploom {
namespace {

// No model has fewer words, none as many experts.
constexpr std::int64_t kFewestWords = 4096;
// Scores of a token that one thread of vLLM's topkGating loads at once: more are compared between threads, in
// as many rounds as experts are chosen.
constexpr std::int64_t kOfOneThread = 8;

}  // namespace

bool is_step_sampling(const Operator& op) {
  const auto* sampling = std::get_if<Sampling>(&op);
  return sampling != nullptr && sampling->vocabulary >= kFewestWords;
}

bool is_expert_choice(const Operator& op) {
  const auto* choice = std::get_if<Sampling>(&op);
  return choice != nullptr && choice->vocabulary > kOfOneThread && choice->vocabulary < kFewestWords;
}

RulePrice step_sampling_price(const RuleUse& use, const Sampling& op) {
  const auto& rule = use.constants<SamplingConstants>();
  const double logits = double(op.sequences) * double(op.vocabulary);
  return price_by(use, rule.base + logits * rule.per_logit, {logits}, Tier::Measured);
}

}  // namespace warploom
