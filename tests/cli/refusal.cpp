#include "refusal.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "run_warploom.h"

namespace warploom {

void expect_refusal(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& argument : arguments) command += " " + argument;
  SCOPED_TRACE(command);
  const ProgramResult result = run_warploom(arguments);
  EXPECT_EQ(result.exit_status, 2) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  EXPECT_EQ(result.errors.rfind("warploom: ", 0), 0U) << result.errors;
  for (const std::string& word : words) {
    EXPECT_NE(result.errors.find(word), std::string::npos) << "'" << word << "' in " << result.errors;
  }
}

}  // namespace warploom
