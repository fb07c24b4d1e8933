#include "warploom/cli/python_package.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace warploom {
namespace {

TEST(PythonPackage, IsThatOfTheTreeThatTheProgramStandsIn) {
  if (std::getenv("WARPLOOM_PACKAGE") != nullptr) GTEST_SKIP() << "the environment names another";
  const std::filesystem::path found = python_package();
  EXPECT_TRUE(std::filesystem::exists(found / "warploom" / "profile.py")) << found;
  EXPECT_EQ(found, std::filesystem::canonical(found));
}

TEST(PythonPackage, IsTheOneThatTheEnvironmentNames) {
  ::setenv("WARPLOOM_PACKAGE", "/elsewhere", 1);
  EXPECT_EQ(python_package(), "/elsewhere");
  ::unsetenv("WARPLOOM_PACKAGE");
}

}  // namespace
}  // namespace warploom
