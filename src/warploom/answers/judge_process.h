// The program warploom-judge asked from another one: a question on its standard input, lines on its output.
// The question is one JSON object, of which one kind is asked:
//   {"request", "asked", "predictor", "folder"}  a request; `folder`: the only place of files, null: any
//   {"command_line": {"request", "asked"}}       the line of the command that asks the same
//   {"schemas": true}                            {name: schema} of the requests that it alone answers
// Its lines are {"progress": [done, total]}, {"at": text}, {"said": text}, and last {"answer": ...} or
// {"error": {"kind", "message"}}; judge/serve_question.h writes them.
#pragma once

#include <string_view>

#include "warploom/answers/answer_watch.h"
#include "warploom/answers/session.h"
#include "warploom/base/json.h"

namespace warploom {

// What the program answers to `question`. Throws what it says went wrong, JudgingElsewhere where the program
// is missing, IoError where it cannot be started or ends without a word. Ends it where `watch` throws; null,
// once `watch` is cancelled. `task` begins those errors. Thread-safe.
Json ask_judge(const Json& question, std::string_view task, const AnswerWatch& watch = {});
// The same of one request.
Json ask_judge(const Session& session, std::string_view request, const Json& asked, const AnswerWatch& watch);

}  // namespace warploom
