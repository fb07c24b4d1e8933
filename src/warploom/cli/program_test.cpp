#include "warploom/cli/program.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace warploom {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

void expect_same(const CLI::App& one, const CLI::App& other) {
  EXPECT_EQ(one.help(), other.help());
  EXPECT_EQ(one.get_group(), other.get_group());
  EXPECT_EQ(one.get_options().size(), other.get_options().size());
  const auto below = commands_of(one), below_other = commands_of(other);
  ASSERT_EQ(below.size(), below_other.size());
  for (std::size_t i = 0; i < below.size(); ++i) expect_same(*below[i], *below_other[i]);
}

TEST(OneCommand, IsTheSameAsAmongAll) {
  const auto all = make_program("0");
  ASSERT_GT(commands_of(*all).size(), 25U);
  for (const CLI::App* command : commands_of(*all)) {
    SCOPED_TRACE(command->get_name());
    const auto alone = make_program("0", nullptr, Sent::AsIs, command->get_name());
    EXPECT_LE(commands_of(*alone).size(), 2U);
    expect_same(*command, *alone->get_subcommand(command->get_name()));
  }
}

TEST(OneCommand, OfNoSuchNameIsAll) {
  const auto all = make_program("0");
  expect_same(*all, *make_program("0", nullptr, Sent::AsIs, "simulat"));
}

}  // namespace
}  // namespace warploom
