#include "warploom/cli/man_page.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <sstream>

#include "warploom/cli/program.h"

namespace warploom {
namespace {

// Every command that help knows, and what it says of it.
void expect_in_page(const CLI::App& command, const std::string& page) {
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_group().empty() || option->get_lnames().empty()) continue;
      std::string name = "--" + option->get_lnames().front(), in_page;
      for (const char c : name) in_page += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_NE(page.find(in_page), std::string::npos) << sub->get_name() << " " << name;
    }
    expect_in_page(*sub, page);
  }
}

TEST(ManPage, HasEveryCommandAndOption) {
  const auto program = make_program("1.2.3");
  const std::string page = man_page(*program, "1.2.3");
  EXPECT_EQ(page.find(".TH WARPLOOM 1 \"\" \"warploom 1.2.3\" Warploom\n"), 0u);
  EXPECT_NE(page.find(".SS \"warploom predict gemm\"\n"), std::string::npos);
  EXPECT_NE(page.find(".SS \"warploom tune pick\"\n"), std::string::npos);
  EXPECT_NE(page.find("\n.TP\n\\fB\\-\\-gpu\\fR \\fINAME|FILE\\fR\n"), std::string::npos);
  expect_in_page(*program, page);
}

// A line that begins with a dot or an apostrophe would be taken for an instruction.
TEST(ManPage, WordsAreNeverInstructions) {
  CLI::App program(".hidden 'words' with \\ and -dashes", "tool");
  program.add_subcommand("one", "'quoted \"command\"");
  const std::string page = man_page(program, "1");
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_NE(line.substr(0, 1), "'") << line;
    if (!line.starts_with('.')) continue;
    EXPECT_TRUE(std::isupper(line.at(1)) || line == ".nf" || line == ".fi") << line;
  }
  EXPECT_NE(page.find(".hidden 'words' with \\e and \\-dashes"), std::string::npos);
  EXPECT_NE(page.find("\\&'quoted"), std::string::npos);
}

}  // namespace
}  // namespace warploom
