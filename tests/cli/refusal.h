// What every refusal of bad input owes its user. For tests only.
#pragma once

#include <string>
#include <vector>

namespace warploom {

// Runs the program and expects status 2, nothing on stdout and one line on stderr that holds each of `words`.
void expect_refusal(const std::vector<std::string>& arguments, const std::vector<std::string>& words);

}  // namespace warploom
