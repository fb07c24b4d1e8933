// Which request is answered by which use case and report.
#pragma once

#include <span>
#include <string_view>

#include "warploom/answers/answer_reach.h"
#include "warploom/answers/answer_watch.h"
#include "warploom/answers/session.h"
#include "warploom/base/json.h"

namespace warploom {

struct AnsweredRequest {
  std::string_view name;
  Json (*answer)(const Session& session, const Json& asked, const AnswerWatch& watch);
  AnswerReach reach = {};  // closed unless the request says otherwise
};

// Of kernels, steps and runs.
std::span<const AnsweredRequest> predicted_answers();
// Of measured data: import, training, calibration, validation.
std::span<const AnsweredRequest> measured_answers();
// Of tile configurations.
std::span<const AnsweredRequest> tuned_answers();

}  // namespace warploom
