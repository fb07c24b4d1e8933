#include "warploom/cli/completion.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "warploom/base/error.h"
#include "warploom/cli/program.h"

namespace warploom {
namespace {

TEST(Completion, KnowsCommandsAndTheirOptions) {
  const auto program = make_program("0");
  const std::string bash = completion_script(*program, "bash");
  EXPECT_NE(bash.find("'predict gemm') known='"), std::string::npos);
  const std::size_t plan = bash.find("    'plan') known='");
  ASSERT_NE(plan, std::string::npos);
  EXPECT_NE(bash.substr(plan, bash.find('\n', plan) - plan).find("--emit"), std::string::npos);
  const std::string zsh = completion_script(*program, "zsh");
  EXPECT_EQ(zsh.find("#compdef warploom\n"), 0u);
  EXPECT_NE(zsh.find(bash.substr(plan, bash.find('\n', plan) - plan)), std::string::npos);
  const std::string fish = completion_script(*program, "fish");
  EXPECT_NE(fish.find("-l kv-cache-dtype"), std::string::npos);
  EXPECT_NE(fish.find("-a simulate"), std::string::npos);
  EXPECT_THROW(completion_script(*program, "tcsh"), NotFound);
  EXPECT_THROW(completion_script(*program, ""), NotFound);
}

}  // namespace
}  // namespace warploom
