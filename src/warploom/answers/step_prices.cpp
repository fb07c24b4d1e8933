#include "warploom/answers/step_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/answers/internal/setup_reading.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/app/serving/step_fit.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {
namespace {

constexpr std::int64_t kMostStepTokens = 1'000'000'000;

ServingSetup resolved(const Session& session, const Json& fields, const AnswerWatch& watch) {
  const auto request = read_setup_request<ServingSetupRequest>(session, fields, SetupUse::Steps, watch);
  return resolve_asked(request, session.model_of(request.predictor));
}

std::int32_t checked_tokens(std::int64_t value, std::string_view what, std::int64_t least) {
  if (value < least || value > kMostStepTokens)
    throw InvalidInput(fmt::format("step: {} is {}, expected {} to {}", what, value, least, kMostStepTokens));
  return static_cast<std::int32_t>(value);
}

}  // namespace

StepPrices::StepPrices(const Session& session, const Json& setup, const AnswerWatch& watch)
    : setup_(resolved(session, setup, watch)), limits_(graph_limits_of(setup_.config)) {}

StepPrice StepPrices::decode(std::int64_t requests, std::int64_t context) {
  const std::int32_t each = checked_tokens(context, "context", 0);
  batch_ = {};
  batch_.decode_requests = checked_tokens(requests, "requests", 1);
  batch_.decode_context_sum = requests * context;
  batch_.decode_context_max = each;
  check_step_fits(setup_, context + 1, requests * (context + 1));
  return priced();
}

StepPrice StepPrices::mixed(std::span<const std::int64_t> contexts, std::span<const PromptPart> prompts) {
  contexts_.clear();
  chunks_.clear();
  batch_ = {};
  std::int64_t longest = 0, held = 0;
  const auto add = [&](std::int64_t tokens) {
    longest = std::max(longest, tokens);
    held += tokens;
  };
  for (const std::int64_t context : contexts) {
    contexts_.push_back(checked_tokens(context, "context", 0));
    add(context + 1);
  }
  // A prompt of one token is a decode step.
  for (const PromptPart& part : prompts) {
    const std::int32_t context = checked_tokens(part.context, "context", 0);
    add(part.context + checked_tokens(part.tokens, "tokens of a prompt", 1));
    if (part.tokens == 1) {
      contexts_.push_back(context);
      continue;
    }
    chunks_.push_back({checked_tokens(part.tokens, "tokens of a prompt", 1), context});
    batch_.chunk_tokens += part.tokens;
  }
  batch_.set_decode(contexts_);
  batch_.chunks = chunks_;
  check_step_fits(setup_, longest, held);
  return priced();
}

StepPrice StepPrices::priced() {
  const std::int64_t requests = batch_.decode_requests + std::ssize(batch_.chunks);
  if (batch_.tokens() < 1) throw InvalidInput("step: no request, expected at least one");
  checked_tokens(batch_.tokens(), "new tokens", 1);
  batch_.emitting = batch_.logits_rows = requests;
  batch_.widest_rank_tokens = batch_.narrowest_rank_tokens = batch_.tokens();
  batch_.group_tokens = batch_.tokens() * std::int64_t(setup_.pricer->coupled_replicas());
  const StepCost cost = setup_.pricer->price(batch_);
  const LaunchMode mode = limits_.mode(batch_.chunk_tokens, batch_.tokens());
  return {cost.p10, cost.p50, cost.p90,
          setup_.config.host.overhead(cost.p50, requests, mode, schedules_ahead(setup_.config))};
}

}  // namespace warploom
