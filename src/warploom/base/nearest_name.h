// Spelling help for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warploom {

// The at most `count` candidates closest to `name` by edit distance (case, '-', '_' and ' ' ignored; a
// candidate that contains `name` counts as close), best first, ties in the order given.
// Candidates that share nothing useful with `name` are left out. O(len(name) * total length).
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates,
                                       std::size_t count = 3);

// " (did you mean 'a', 'b'?)" or an empty string when nothing is close.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace warploom
