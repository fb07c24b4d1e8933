// What people read fits their screen: every example that needs no file of one's own, at 80 columns.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "run_warploom.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

using Words = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream read(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(read, line);) lines.push_back(line);
  return lines;
}

std::size_t width_of(const std::string& line) {
  return std::size_t(std::count_if(line.begin(), line.end(),
                                   [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// The name of a file, say, which is copied whole.
bool holds_a_long_word(const std::string& line) {
  constexpr std::size_t kLong = 60;
  std::istringstream read(line);
  for (std::string word; read >> word;)
    if (width_of(word) >= kLong && word.find('-') != 0) return true;
  return false;
}

void expect_within(const std::string& text, std::size_t columns, const std::string& asked) {
  for (const std::string& line : lines_of(text)) {
    const bool fits = width_of(line) <= columns || holds_a_long_word(line);
    EXPECT_TRUE(fits) << asked << "\n" << line;
  }
}

ProgramResult at_width(const char* columns, const Words& arguments, const std::filesystem::path& folder) {
  Words words{"env", std::string("COLUMNS=") + columns, warploom_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_words(words, folder);
}

// Words of a line of --help, whose quotes hold words with blanks.
Words words_in(const std::string& line) {
  Words words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  return words;
}

// The examples that `command` shows, without "warploom"; none that reads or writes a file, waits for clients
// or prints JSON. Searches stand in kSearch.
std::vector<Words> examples_of(const std::string& command) {
  Words help = words_in(command);
  help.emplace_back("--help");
  std::vector<Words> found;
  for (const std::string& line : lines_of(run_warploom(help).output)) {
    if (!line.starts_with("  warploom ")) continue;
    const Words words = words_in(line.substr(sizeof "  warploom"));
    const bool fit = std::none_of(words.begin(), words.end(), [](const std::string& word) {
      for (const char* part : {".csv", ".db", ".json", ".yaml", ".wlt", ".txt", ".gz", "--json", "--output",
                               "--write", "--html", "--data", "--port", "--instances", "--speedup"})
        if (word.find(part) != std::string::npos) return true;
      return false;
    });
    if (fit) found.push_back(words);
  }
  return found;
}

const Words kSearch{"plan",   "--model",    "Llama-3.1-8B", "--gpus", "H100-SXM,H200",
                    "--rate", "12",         "--tp",         "1,2",    "--input-tokens",
                    "300",    "--requests", "60",           "--slo",  "ttft_p95_ms=800"};

TEST(ScreenWidth, EveryExampleFitsEightyColumns) {
  const ScratchFolder scratch;
  std::size_t ran = 0;
  std::vector<Words> all{kSearch};
  for (const char* command :
       {"simulate", "curve", "support", "step", "static", "diagnose", "predict gemm", "predict moe",
        "predict attention_decode", "gpus", "gpu show", "models", "moe-config", "tuned-files"})
    for (Words& words : examples_of(command)) all.push_back(std::move(words));
  for (const Words& words : all) {
    std::string asked;
    for (const std::string& word : words) asked += " " + word;
    const ProgramResult result = at_width("80", words, scratch.path());
    EXPECT_EQ(result.exit_status, 0) << asked << result.errors;
    EXPECT_NE(result.output, "") << asked;
    expect_within(result.output, 80, asked);
    ++ran;
  }
  EXPECT_GE(ran, 20U);
}

TEST(ScreenWidth, HelpFitsEightyColumns) {
  for (const char* command :
       {"", "simulate", "curve", "plan", "predict", "predict moe", "web", "train", "tune fit"}) {
    Words words = words_in(command);
    words.emplace_back("--help");
    const ProgramResult help = at_width("80", words, {});
    EXPECT_EQ(help.exit_status, 0) << command;
    expect_within(help.output, 80, command);
  }
}

TEST(ScreenWidth, APlanFitsEightyColumnsInAFileToo) {
  const ProgramResult plan = run_warploom(kSearch);
  ASSERT_EQ(plan.exit_status, 0) << plan.errors;
  expect_within(plan.output, 80, "plan");
}

TEST(ScreenWidth, ARowStaysALineWhereNoScreenIs) {
  const Words step{"step", "--model", "Llama-3.1-8B", "--gpu", "H100-SXM", "--decode", "16x500"};
  const ProgramResult whole = run_words({"env", "-u", "COLUMNS", warploom_program(), step[0], step[1],
                                         step[2], step[3], step[4], step[5], step[6]});
  ASSERT_EQ(whole.exit_status, 0) << whole.errors;
  const auto lines = lines_of(whole.output);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const auto& line) { return width_of(line) > 100; }));
}

TEST(ScreenWidth, ATerminalSaysHowWideItIs) {
  winsize size{.ws_row = 40, .ws_col = 66, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::unsetenv("COLUMNS");
    ::setenv("LC_ALL", "C.UTF-8", 1);
    ::execl(WARPLOOM_PROGRAM, WARPLOOM_PROGRAM, "gpus", nullptr);
    ::_exit(127);
  }
  WARPLOOM_ASSERT(child > 0);
  std::string seen;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(terminal, part, sizeof part)) > 0;) seen.append(part, std::size_t(got));
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << seen;
  std::erase(seen, '\r');
  EXPECT_NE(seen.find("h100_sxm"), std::string::npos) << seen;
  expect_within(seen, 66, "gpus");
}

}  // namespace
}  // namespace warploom
