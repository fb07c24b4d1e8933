// What was asked, with all that was left to its default.
#pragma once

#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// `asked` as answer() takes it, of somebody at this machine. Fields of requests that have no list of fields
// stay as they are. Throws as reading the request does.
Json whole_request(std::string_view request, const Json& asked);

}  // namespace warploom
