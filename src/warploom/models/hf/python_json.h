// JSON as Python's json module writes it.
#pragma once

#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// The bare words Infinity, -Infinity and NaN, which JSON has not, become 1e308, -1e308 and null. Throws
// InvalidInput with line and column.
Json parse_python_json(std::string_view text, std::string_view where);

}  // namespace warploom
