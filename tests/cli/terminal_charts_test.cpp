// Charts of characters: on a terminal, nowhere else unless they are asked for.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

using Words = std::vector<std::string>;
const Words kStep{"step", "--model", "Llama-3.1-8B", "--gpu", "H100-SXM", "--decode", "16x500"};
constexpr const char* kBlock = "█";

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// What a user of a terminal sees.
std::string on_a_terminal(const Words& arguments, const char* no_color) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    if (no_color == nullptr)
      ::unsetenv("NO_COLOR");
    else
      ::setenv("NO_COLOR", no_color, 1);
    std::vector<char*> words{const_cast<char*>(WARPLOOM_PROGRAM)};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  WARPLOOM_ASSERT(child > 0);
  std::string seen;
  char part[4096];
  for (ssize_t size = 0; (size = ::read(terminal, part, sizeof part)) > 0;)
    seen.append(part, std::size_t(size));
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << seen;
  return seen;
}

TEST(TerminalCharts, AreNotInAFile) {
  const ProgramResult plain = run_warploom(kStep);
  EXPECT_EQ(plain.output.find(kBlock), std::string::npos);
  const ProgramResult asked = run_warploom(with(kStep, {"--charts"}));
  EXPECT_EQ(asked.output.rfind(plain.output, 0), 0U) << "charts stand below";
  EXPECT_NE(asked.output.find("by bound\n"), std::string::npos);
  EXPECT_NE(asked.output.find(kBlock), std::string::npos);
  EXPECT_EQ(asked.output.find('\x1b'), std::string::npos);
  expect_refusal(with(kStep, {"--charts", "--json"}), {"--charts", "--json"});
}

TEST(TerminalCharts, AreOnATerminal) {
  const std::string seen = on_a_terminal(kStep, nullptr);
  EXPECT_NE(seen.find(kBlock), std::string::npos) << seen;
  EXPECT_NE(seen.find("\x1b[33m"), std::string::npos) << seen;
  const std::string plain = on_a_terminal(kStep, "1");
  EXPECT_NE(plain.find(kBlock), std::string::npos) << plain;
  EXPECT_EQ(plain.find('\x1b'), std::string::npos) << plain;
  EXPECT_EQ(on_a_terminal(with(kStep, {"--json"}), nullptr).find(kBlock), std::string::npos);
}

TEST(TerminalCharts, OfARunAndOfAFit) {
  const ProgramResult run =
      run_warploom({"simulate", "--model", "Llama-3.1-8B", "--gpu", "H100-SXM", "--num-prompts", "100",
                    "--random-input-len", "300", "--random-output-len", "40", "--request-rate", "20",
                    "--no-intervals", "--charts"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  for (const char* words : {"over time, ", "running", "waiting", "KV cache", "at most "})
    EXPECT_NE(run.output.find(words), std::string::npos) << words;
  const ScratchFolder scratch;
  const std::string samples = source_folder() / "tests/fixtures/tuner/tutorial_anchors.csv.gz";
  const Words fit{
      "tune", "fit", "--gpu", "H200", "--samples", samples, "--output", scratch.path() / "table", "--charts"};
  EXPECT_NE(run_warploom(fit).output.find("\nresiduals "), std::string::npos);
  expect_refusal(with(fit, {"--method", "wavetune"}), {"--charts"});
}

}  // namespace
}  // namespace warploom
