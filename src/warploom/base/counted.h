// Counts for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warploom {

std::string count_text(std::int64_t count);  // 1234567 -> "1,234,567"

// "1 run", "2 runs", "1,234 runs"; for nouns whose plural only takes an s.
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace warploom
