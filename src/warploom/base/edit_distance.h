// How unlike two names are.
#pragma once

#include <cstddef>
#include <string_view>

namespace warploom {

// Levenshtein's distance: the least number of bytes to insert, remove or replace that makes one text of the
// other. O(len(a) len(b)) time, O(len(b)) memory.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace warploom
