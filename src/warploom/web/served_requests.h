// Which requests of answers/answer.h the page's server answers, and of what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"

namespace warploom {

// Those that only read: what writes files on this machine is left to the command line.
const std::vector<std::string>& served_requests();

// Throws NotFound on a name that is no request, Unsupported on one of the command line alone.
void check_served(std::string_view request);

// Whether it is answered within milliseconds; the others take seconds to minutes.
bool is_short_request(std::string_view request);

// Throws Unsupported on a field that writes files on this machine or starts programs; "output": "upload:new"
// alone is kept among the uploads.
void check_served_fields(std::string_view request, const Json& asked);

// As parse_json, of a client's text: also throws InvalidInput on objects and lists nested very deep.
Json parse_body(std::string_view text);

}  // namespace warploom
