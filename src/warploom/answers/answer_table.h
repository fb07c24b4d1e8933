// Which request is answered by which use case and report.
#pragma once

#include <span>
#include <string_view>

#include "warploom/answers/answer_reach.h"
#include "warploom/answers/answer_text.h"
#include "warploom/answers/answer_watch.h"
#include "warploom/answers/session.h"
#include "warploom/base/json.h"

namespace warploom {

struct Question {
  const Session& session;
  const Json& asked;
  const AnswerWatch& watch;
  AnswerText* text;  // null where nobody reads it

  template <class MakeText>
  void write(const MakeText& make) const {
    if (text != nullptr) text->text = make();
  }
  void note(std::string_view line) const { watch.note(line); }
};

struct AnsweredRequest {
  std::string_view name;
  Json (*answer)(const Question& question);  // null: warploom-judge alone answers (judged_answers.h)
  AnswerReach reach = {};                    // closed unless the request says otherwise
};

// Kernels, steps and runs.
std::span<const AnsweredRequest> predicted_answers();
// Measured data: import, training, calibration, validation.
std::span<const AnsweredRequest> measured_answers();
// Tile configurations.
std::span<const AnsweredRequest> tuned_answers();

}  // namespace warploom
