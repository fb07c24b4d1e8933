#include <nlohmann/json.hpp>
#include <string>

#include "warploom/answers/judge_process.h"
#include "warploom/answers/judged_answers.h"
#include "warploom/base/judging.h"

namespace warploom {

Json answer_judged(std::string_view request, const Question&) { throw JudgingElsewhere(request); }

Json answer_wavetune_fit(const Question&, const TuneFitRequest&) {
  throw JudgingElsewhere("tune fit with `method` wavetune");
}

JudgedFields judged_fields(std::string_view) { return {}; }

Json judged_schemas() {
  if (judging_program().empty()) return Json::object();
  return ask_judge({{"schemas", true}}, "schemas");
}

}  // namespace warploom
