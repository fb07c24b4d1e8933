// The engines of a run, opened for requests that come while they run.
#pragma once

#include "warploom/answers/answer_watch.h"
#include "warploom/answers/session.h"
#include "warploom/app/serving/serving_engines.h"
#include "warploom/base/json.h"

namespace warploom {

// `asked`: the fields of `simulate` that say what serves, read and checked as answer() reads them. Throws
// what `simulate` throws of them, InvalidInput on fields that say what is sent.
ServingEngines live_engines(const Session& session, const Json& asked, const AnswerWatch& watch = {});

}  // namespace warploom
