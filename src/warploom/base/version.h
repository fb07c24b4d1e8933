// Versions of programs, as "0.14.0".
#pragma once

#include <string_view>

namespace warploom {

// Compares dotted versions by their numbers: "0.9.1" < "0.14.0". Negative, zero or positive.
int compare_versions(std::string_view a, std::string_view b);

// A number that grows with the version, so that the nearest of several can be told: a step of the first
// number counts more than any of the second, and so on for four numbers. Below zero for a text that begins
// with no digit, as the name of a nightly build.
double version_position(std::string_view version);

}  // namespace warploom
