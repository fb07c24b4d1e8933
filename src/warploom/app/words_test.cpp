// Use cases speak of fields; options are words of the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "warploom/base/file.h"

namespace warploom {
namespace {

// The string literals of a source that hold the name of an option.
std::vector<std::string> option_names_in(const std::string& source) {
  static const std::regex option(R"re("(?:[^"\\\n]|\\.)*--[a-z](?:[^"\\\n]|\\.)*")re");
  std::vector<std::string> found;
  std::size_t begin = 0;
  while (begin < source.size()) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string line = source.substr(begin, end - begin);
    const std::size_t comment = line.find("//");
    std::smatch match;
    if (const std::string code = line.substr(0, comment); std::regex_search(code, match, option))
      found.push_back(match.str());
    begin = end + 1;
  }
  return found;
}

TEST(Words, AnOptionInALiteralIsFound) {
  EXPECT_EQ(option_names_in("throw X(\"use --batch\");\nint a; // \"--b\"\n").size(), 1u);
  EXPECT_TRUE(option_names_in("words.push_back(\"--\" + name);\nf(\"a -- b\");").empty());
}

TEST(Words, UseCasesNameFieldsAndNoOptions) {
  const std::filesystem::path folder = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "src/warploom/app";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool source = name.ends_with(".cpp") || name.ends_with(".h");
    if (!source || name.ends_with("_test.cpp") || name.ends_with("_test.h")) continue;
    // Those write the lines of other programs.
    if (entry.path().parent_path().filename() == "emit" || name == "engine_start.cpp") continue;
    ++files;
    for (const std::string& literal : option_names_in(read_file(entry.path())))
      ADD_FAILURE() << name << ": " << literal << " names an option of the command line, expected a field";
  }
  EXPECT_GT(files, 50u);
}

}  // namespace
}  // namespace warploom
