// Members of documents that somebody else wrote: never an error of the library, whatever their type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// The member, or null where there is none.
const Json& member_or_null(const Json& document, std::string_view key);

// The text of the member, or `otherwise` where there is none or it is something else.
std::string text_member_or(const Json& document, std::string_view key, std::string otherwise);

// The version of a document: 0 where none stands, and one that no program knows where it is no whole number.
std::int64_t document_version(const Json& document);

// These throw InvalidInput naming `where`, the key and what was expected.
const Json& required_member(const Json& document, std::string_view key, std::string_view where);
std::string required_text(const Json& document, std::string_view key, std::string_view where);
double required_number(const Json& document, std::string_view key, std::string_view where);

}  // namespace warploom
