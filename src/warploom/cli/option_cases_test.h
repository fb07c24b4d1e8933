// What every_option_test knows of the options: tests/fixtures/options/cases.txt, see the README beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warploom {

using Words = std::vector<std::string>;

// Splits at blanks outside single quotes.
Words words_of(std::string_view line);

struct BaseLine {
  std::string commands;
  std::string options;  // the beginning of those that take these base lines alone; empty: the others
  Words line;
};
struct OptionValue {
  std::string option, value;
};
struct OptionCase {
  std::string commands, option, value;
  Words line;
  std::string limit, note;  // the text of a `limit` or `note` line
};
struct OptionCases {
  std::string learning;  // commands that need the training library
  std::vector<BaseLine> bases;
  std::vector<OptionValue> values;
  std::vector<OptionCase> cases;
};

// Throws InvalidInput with the number of a line that cannot be understood.
OptionCases read_option_cases();

// Whether a comma-separated list of commands covers the one with this name.
bool covers(const std::string& commands, const std::string& name);

// Where "@in" and "@src" stand, their paths. The files of "@in" are written on the first call, those that the
// program itself makes when they are first named.
std::string with_inputs(std::string word);

}  // namespace warploom
