// Whether bytes are UTF-8, for readers of formats whose library does not look.
#pragma once

#include <cstddef>
#include <string_view>

namespace warploom {

// Bytes before the first that is not UTF-8 (RFC 3629: shortest forms, no surrogates, up to U+10FFFF);
// text.size() when there is none.
std::size_t utf8_bytes(std::string_view text);

}  // namespace warploom
