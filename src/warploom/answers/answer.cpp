#include "warploom/answers/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>

#include "warploom/answers/answer_table.h"
#include "warploom/answers/judge_process.h"
#include "warploom/answers/judged_answers.h"
#include "warploom/base/file_system_words.h"
#include "warploom/base/judging.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

std::array<std::span<const AnsweredRequest>, 3> all_answers() {
  return {predicted_answers(), measured_answers(), tuned_answers()};
}

const AnsweredRequest& answered_request(std::string_view request) {
  for (const auto& answers : all_answers())
    for (const AnsweredRequest& one : answers)
      if (one.name == request) return one;
  const std::vector<std::string> names = answered_requests();
  throw NotFound(fmt::format("request: '{}' is unknown{}; expected one of: {}", request,
                             did_you_mean(std::string(request), names), fmt::join(names, ", ")));
}

}  // namespace

std::vector<std::string> answered_requests() {
  std::vector<std::string> names;
  for (const auto& answers : all_answers())
    for (const AnsweredRequest& one : answers) names.emplace_back(one.name);
  return names;
}

const AnswerReach& answer_reach(std::string_view request) { return answered_request(request).reach; }

Json answer_here(const Session& session, std::string_view request, const Json& asked,
                 const AnswerWatch& watch, AnswerText* text) {
  const Json none = Json::object();
  const AnsweredRequest& one = answered_request(request);
  const Question question{session, asked.is_null() ? none : asked, watch, text};
  return with_file_system_words(
      [&] { return one.answer == nullptr ? answer_judged(one.name, question) : one.answer(question); });
}

Json answer(const Session& session, std::string_view request, const Json& asked, const AnswerWatch& watch,
            AnswerText* text) {
  try {
    return answer_here(session, request, asked, watch, text);
  } catch (const JudgingElsewhere&) {
    return ask_judge(session, request, asked, watch);
  }
}

}  // namespace warploom
