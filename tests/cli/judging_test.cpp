// What judges is another program: `warploom` hands it what it cannot do, and says how to build it where it is
// missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;

const std::vector<std::vector<std::string>>& judged_lines() {
  static const std::vector<std::vector<std::string>> lines{
      {"validate", "kernels", "--layout", "warploom", "--data", "rows.csv"},
      {"validate", "--help"},
      {"tune", "regret", "--table", "t.wlt", "--oracle", "o.csv"},
      {"tune", "plan", "--gpu", "H200", "--method", "wavetune", "--output", "a.csv"},
      {"train", "--method", "pipeweave", "--layout", "warploom", "--data", "rows.csv", "--output", "m.wlb"},
      {"schema", "validate_kernels"},
      {"predict", "gemm", "--gpu", "H200", "--m", "64", "--n", "64", "--k", "64", "--features", "published"}};
  return lines;
}

// A copy of the program in a folder of its own.
struct LonelyProgram {
  LonelyProgram() { fs::copy_file(warploom_program(), program()); }
  std::string program() const { return (folder.path() / "warploom").string(); }
  ProgramResult run(std::vector<std::string> words) const {
    words.insert(words.begin(), program());
    return run_words(words, folder.path());
  }
  ScratchFolder folder;
};

TEST(Judging, IsRefusedWithHowToBuildItWhereTheProgramIsMissing) {
  const LonelyProgram lonely;
  for (const auto& words : judged_lines()) {
    const ProgramResult result = lonely.run(words);
    EXPECT_EQ(result.exit_status, 2) << words[0] << " " << words[1] << result.errors;
    EXPECT_EQ(result.output, "") << words[0] << " " << words[1];
    for (const std::string& said :
         {std::string("warploom-judge"), std::string("cmake --build"), lonely.folder.path().string()})
      EXPECT_NE(result.errors.find(said), std::string::npos) << words[0] << " " << words[1] << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
}

TEST(Judging, IsListedAndNothingElseMissesIt) {
  const LonelyProgram lonely;
  EXPECT_EQ(lonely.run({"--help"}).output, run_warploom({"--help"}).output);
  EXPECT_NE(lonely.run({"--help"}).output.find("validate"), std::string::npos);
  EXPECT_EQ(lonely.run({"schema"}).output, run_warploom({"schema"}).output);
  const ProgramResult priced =
      lonely.run({"predict", "gemm", "--gpu", "H200", "--m", "64", "--n", "64", "--k", "64"});
  EXPECT_EQ(priced.exit_status, 0) << priced.errors;
}

TEST(Judging, IsDoneByTheProgramThatTheVariableNames) {
  const LonelyProgram lonely;
  const fs::path judge = fs::path(warploom_program()).parent_path() / "warploom-judge";
  const ProgramResult result = lonely.run({"schema", "validate_kernels"});
  ASSERT_EQ(result.exit_status, 2);
  ProgramResult found =
      run_words({"env", "WARPLOOM_JUDGE=" + judge.string(), lonely.program(), "schema", "validate_kernels"});
  EXPECT_EQ(found.exit_status, 0) << found.errors;
  EXPECT_NE(found.output.find("\"title\": \"validate_kernels\""), std::string::npos);
  found = run_words({"env", "WARPLOOM_JUDGE=/nowhere/judge", lonely.program(), "validate", "kernels"});
  EXPECT_EQ(found.exit_status, 1);
  EXPECT_NE(found.errors.find("/nowhere/judge cannot be started: No such file"), std::string::npos)
      << found.errors;
}

// The words reach the other program as they were written.
TEST(Judging, RefusesOptionsAsTheCommandDoes) {
  const ProgramResult unknown = run_warploom({"validate", "kernels", "--nonsense"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_NE(unknown.errors.find("--nonsense"), std::string::npos) << unknown.errors;
  EXPECT_EQ(run_warploom({"validate", "kernels", "--help"}).exit_status, 0);
  EXPECT_NE(run_warploom({"validate", "kernels", "--help"}).output.find("--leave-out"), std::string::npos);
  EXPECT_NE(run_warploom({"validate"}).errors.find("a command is missing"), std::string::npos);
}

}  // namespace
}  // namespace warploom
