// The OpenAPI 3.1 document of the API, from the same field lists as everything else about requests.
#pragma once

#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

Json openapi_document(std::string_view version, bool with_token);

}  // namespace warploom
