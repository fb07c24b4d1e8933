// Reports within so many columns: lines of words are wrapped, tables that are wider are split by column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warploom {

// In columns; 0: as wide as it is.
struct TextWidth {
  std::size_t prose = 0, tables = 0;
};

// A wrapped line goes on two blanks further in, one that blanks lay out (an option and what it does) where
// its last column begins; a command line ends in a backslash. Of a table (TextTable::text) that is too wide,
// each part repeats the columns that tell its rows apart; words of a last column wrap inside it. What has no
// blank to break at stays whole. O(text).
std::string fitted_text(std::string_view text, const TextWidth& width);

}  // namespace warploom
