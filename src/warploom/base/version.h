// Versions of programs, as "0.14.0".
#pragma once

#include <string_view>

namespace warploom {

// Compares dotted versions by their numbers: "0.9.1" < "0.14.0". Negative, zero or positive.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace warploom
