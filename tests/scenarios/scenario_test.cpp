#include "scenario.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/cli/program.h"

namespace warploom {
namespace {

constexpr const char* kUpdate = "WARPLOOM_UPDATE_GOLDEN";  // set by `--update`, see main.cpp

// Splits at blanks outside single quotes; "@src" is the source tree, "@out" the scenario's folder.
std::vector<std::string> words_of(const std::string& line, const std::filesystem::path& out) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  for (std::string& word : words) {
    if (word.starts_with("@src")) word.replace(0, 4, WARPLOOM_SOURCE_DIR);
    if (word.starts_with("@out")) word.replace(0, 4, out.string());
  }
  return words;
}

Outcome run(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = run_program(words, "test");
  outcome.said = testing::internal::GetCapturedStderr();
  outcome.output = testing::internal::GetCapturedStdout();
  return outcome;
}

void compare_with_golden(const Scenario& scenario, const std::string& output) {
  const std::filesystem::path path =
      std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/scenarios/golden" / scenario.golden;
  if (std::getenv(kUpdate) != nullptr) {
    write_file_atomically(path, output);
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path))
      << path << " is missing: warploom_scenario_tests --update writes it";
  EXPECT_EQ(output, read_file(path)) << "wanted? warploom_scenario_tests --update rewrites " << path;
}

class WholeRun : public testing::TestWithParam<Scenario> {};

TEST_P(WholeRun, IsAsItsFactsSay) {
  const Scenario& scenario = GetParam();
  const ScratchFolder out;
  for (const auto& [name, text] : scenario.files) out.write(name, text);
  for (const std::string& line : scenario.before) {
    const Outcome made = run(words_of(line, out.path()));
    ASSERT_EQ(made.status, 0) << line << ": " << made.said;
  }
  std::map<std::string, Outcome> outcomes;
  for (const auto& [name, line] : scenario.runs) outcomes[name] = run(words_of(line + " --json", out.path()));
  for (const std::string& fact : scenario.facts) {
    std::string wrong;
    ASSERT_NO_THROW(wrong = contradiction(fact, outcomes)) << fact;
    EXPECT_EQ(wrong, "");
  }
  if (!scenario.golden.empty())
    compare_with_golden(scenario, run(words_of(scenario.runs.at("it"), out.path())).output);
}

std::string name_of_test(const testing::TestParamInfo<Scenario>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Predict, WholeRun, testing::ValuesIn(read_scenarios("predict")), name_of_test);
INSTANTIATE_TEST_SUITE_P(Serving, WholeRun, testing::ValuesIn(read_scenarios("serving")), name_of_test);
INSTANTIATE_TEST_SUITE_P(Tuning, WholeRun, testing::ValuesIn(read_scenarios("tuning")), name_of_test);
INSTANTIATE_TEST_SUITE_P(Planning, WholeRun, testing::ValuesIn(read_scenarios("planning")), name_of_test);
INSTANTIATE_TEST_SUITE_P(Refusals, WholeRun, testing::ValuesIn(read_scenarios("refusals")), name_of_test);
INSTANTIATE_TEST_SUITE_P(Golden, WholeRun, testing::ValuesIn(read_scenarios("golden")), name_of_test);

// The runner itself: a fact that does not hold is found, and one that says nothing is refused.
TEST(Facts, HoldOrNameTheValue) {
  const std::map<std::string, Outcome> outcomes{{"a", {0, R"({"us": 10, "name": "x", "list": [1, 2]})", ""}},
                                                {"b", {2, "", "no such GPU"}}};
  for (const char* fact :
       {"a:/us == 10", "a:/us == 10.0", "a:/us < 11", "a:/us >= 2 * 5", "a:/us in 9 .. 11", "a:/name == x",
        "a:/us in 4 .. 6 * a:/list/1", "a:/list/1 * 5 <= a:/us", "b:status == 2", "b:said has GPU", "a != b"})
    EXPECT_EQ(contradiction(fact, outcomes), "") << fact;
  for (const char* fact :
       {"a:/us == 11", "a:/us < 10", "a:/us in 11 .. 12", "a:/name != x", "b:said has CPU"})
    EXPECT_NE(contradiction(fact, outcomes), "") << fact;
}

TEST(Facts, ThatSayNothingAreRefused) {
  const std::map<std::string, Outcome> outcomes{{"a", {0, R"({"us": 10})", ""}}, {"b", {2, "", ""}}};
  for (const char* fact : {"a:/us", "a:/ms > 1", "b:/us > 1", "a:/us < fast", "a:/us in 1"})
    EXPECT_THROW(contradiction(fact, outcomes), InvalidInput) << fact;
}

}  // namespace
}  // namespace warploom
