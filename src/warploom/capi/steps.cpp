#include <nlohmann/json.hpp>

#include "warploom/capi/capi_objects.h"
#include "warploom/capi/status.h"
#include "warploom/capi/warploom.h"

using warploom::guarded;
using warploom::HandleUse;
using warploom::StepHandles;
using warploom::told;

namespace {

warploom_step_price price_of(const warploom::StepPrice& price) {
  return {.p10_us = to_microseconds(price.p10),
          .p50_us = to_microseconds(price.p50),
          .p90_us = to_microseconds(price.p90),
          .host_us = to_microseconds(price.host)};
}

}  // namespace

warploom_status warploom_step_open(const warploom_session* session, const char* setup, warploom_step** step,
                                   char* message, size_t message_size) {
  if (step != nullptr) *step = nullptr;
  if (step == nullptr || setup == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_step_open: setup and step must not be NULL", message,
                message_size);
  return guarded(message, message_size, [&] {
    const auto held = warploom::session_of(session);
    auto opened = std::make_unique<warploom::OpenStep>(
        warploom::OpenStep{held, warploom::StepPrices(*held, warploom::parse_json(setup, "step"))});
    *step = static_cast<warploom_step*>(StepHandles::of_all().open(std::move(opened)));
  });
}

void warploom_step_close(warploom_step* step) { StepHandles::of_all().close(step); }

warploom_status warploom_step_decode(warploom_step* step, int64_t requests, int64_t context,
                                     warploom_step_price* price, char* message, size_t message_size) {
  if (price == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_step_decode: price must not be NULL", message, message_size);
  return guarded(message, message_size, [&] {
    *price = price_of(
        StepHandles::of_all().get(step, "step", HandleUse::Exclusive)->prices.decode(requests, context));
  });
}

warploom_status warploom_step_mixed(warploom_step* step, const int64_t* contexts, size_t context_count,
                                    const warploom_prompt* prompts, size_t prompt_count,
                                    warploom_step_price* price, char* message, size_t message_size) {
  if (price == nullptr || (contexts == nullptr && context_count > 0) ||
      (prompts == nullptr && prompt_count > 0))
    return told(WARPLOOM_BAD_INPUT, "warploom_step_mixed: contexts, prompts and price must not be NULL",
                message, message_size);
  return guarded(message, message_size, [&] {
    std::vector<warploom::PromptPart> parts;
    for (std::size_t i = 0; i < prompt_count; ++i) parts.push_back({prompts[i].tokens, prompts[i].context});
    *price = price_of(StepHandles::of_all()
                          .get(step, "step", HandleUse::Exclusive)
                          ->prices.mixed({contexts, context_count}, parts));
  });
}
