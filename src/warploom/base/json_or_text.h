// Text that is JSON where it can be read so, as engines take the value of a flag.
#pragma once

#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// The value of text that is JSON, a string of any other. Throws InvalidInput on text that is not UTF-8, and
// what parse_json throws: on JSON beyond its limits.
Json json_or_text(std::string_view text, std::string_view where);
// The same for a flag that takes an object. Throws InvalidInput "<where>: ..." on text that is none.
Json json_object(std::string_view text, std::string_view where);
// An object of one entry, as --flag.key=value gives it.
Json json_entry(std::string_view key, std::string_view value, std::string_view where);

}  // namespace warploom
