// Questions that only the program warploom-judge answers. Every other program has them in its lists, and for
// each of these functions one that throws JudgingElsewhere (judging_elsewhere.cpp); that program is linked
// with those of judge/judged_answers.cpp in their place.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "warploom/answers/answer_table.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/base/fields.h"
#include "warploom/base/json.h"

namespace warploom {

// The answer of a request whose row in an answer table names no function.
Json answer_judged(std::string_view request, const Question& question);

// `tune_fit` with the method wavetune.
Json answer_wavetune_fit(const Question& question, const TuneFitRequest& request);

// The fields of such a request; in other programs there are none.
struct JudgedFields {
  const FieldTable* table = nullptr;
  std::function<std::shared_ptr<void>()> make = {};  // one with every default
};
JudgedFields judged_fields(std::string_view request);

// {name: schema} of all such requests; in other programs those that warploom-judge tells, {} without it.
Json judged_schemas();

}  // namespace warploom
