// Text inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace warploom {

// Can neither begin nor end an element or an attribute: "a<b" -> "a&lt;b".
std::string markup_text(std::string_view text);

}  // namespace warploom
