// Files of data/benchmarks, which are linked into the program, and what their readers share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// The built-in file of that name. Throws InvalidInput when it is not valid JSON, NotFound when there is none.
Json benchmark_file(std::string_view name);

// Throws InvalidInput unless the document has that schema and version 1.
void check_schema(const Json& document, std::string_view schema, std::string_view where);
// Throws InvalidInput on a key that is not among `known`, with the nearest name; keys with '_' are notes.
void check_keys(const Json& entry, std::initializer_list<std::string_view> known, std::string_view where);
// Throws InvalidInput unless the key holds a text that is not empty.
std::string text_of(const Json& entry, std::string_view key, std::string_view where);

}  // namespace warploom
