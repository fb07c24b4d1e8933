// What is said of a value that is not the number it should be.
#pragma once

#include <string>
#include <string_view>

namespace warploom {

// "'1e11' is not an integer, expected it in digits: 100000000000"; of other text an example. Counts are read
// digit by digit, since 1.5e1 is one and 1.55e1 is none.
std::string wrong_integer_text(std::string_view text);

}  // namespace warploom
