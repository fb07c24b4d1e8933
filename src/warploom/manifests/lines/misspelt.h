// Whether a word is most likely another one with a slip of the finger.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warploom {

// A known name of at least six letters that differs from `name` in one letter of eight at most, or whose
// beginning `name` is but for a few letters. Far stricter than nearest_names, which finds what might have
// been meant.
bool looks_misspelt(std::string_view name, std::span<const std::string> known);

}  // namespace warploom
