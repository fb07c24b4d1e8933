// One request in JSON, its answer in JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/answers/answer_reach.h"
#include "warploom/answers/answer_text.h"
#include "warploom/answers/answer_watch.h"
#include "warploom/answers/session.h"
#include "warploom/base/json.h"

namespace warploom {

// The names of requests that can be answered: those of `warploom schema`, and `gpus`, `gpu`, `models` and
// `schema`.
std::vector<std::string> answered_requests();

// Throws NotFound on a name that is no request (with the nearest).
const AnswerReach& answer_reach(std::string_view request);

// What the command of that name prints with --json; into `text`, if any, what it prints without. `asked`
// holds the request's fields, flat or nested as nested_request takes them; of `predict` also {"operator":
// {...}} or the operator's fields with its `family`; of `gpu`, `models` and `schema` a `name`. A field that
// would change nothing is refused, unless it stands at its default. Throws NotFound on a name that is no
// request (with the nearest), InvalidInput on fields, and what the use case throws. What only warploom-judge
// answers is asked there, without a text. Thread-safe.
Json answer(const Session& session, std::string_view request, const Json& asked,
            const AnswerWatch& watch = {}, AnswerText* text = nullptr);
// The same by this program alone: throws JudgingElsewhere where answer() asks the program that judges.
Json answer_here(const Session& session, std::string_view request, const Json& asked,
                 const AnswerWatch& watch = {}, AnswerText* text = nullptr);

}  // namespace warploom
