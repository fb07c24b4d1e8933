// Which requests of answers/answer.h the page's server answers: those that say that clients may ask them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/answers/answer_reach.h"
#include "warploom/base/json.h"

namespace warploom {

std::vector<std::string> served_requests();

// What the request may do and be asked. Throws NotFound on a name that is no request, Unsupported on one of
// the command line alone.
const AnswerReach& served_reach(std::string_view request);

// Throws InvalidInput where any field called `requests` counts more than `most`: each takes memory from the
// start of a run to its end, which no limit of time bounds.
void check_requests(const Json& asked, std::int64_t most);

// As parse_json, of a client's text: also throws InvalidInput on objects and lists nested very deep.
Json parse_body(std::string_view text);

}  // namespace warploom
