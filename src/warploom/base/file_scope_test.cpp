#include "warploom/base/file_scope.h"

#include <gtest/gtest.h>

#include <string>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(FileScope, HoldsNothingUnlessItSaysSo) {
  const FileScope none;
  for (const char* path : {"", "a", "./a", "/etc/passwd", "/"}) EXPECT_FALSE(none.holds(path)) << path;
  EXPECT_THROW(none.check_programs("profile"), Unsupported);
}

TEST(FileScope, OfTheMachineHoldsEveryFile) {
  for (const char* path : {"a", "../a", "/etc/passwd"}) EXPECT_TRUE(FileScope::machine().holds(path)) << path;
  EXPECT_NO_THROW(FileScope::machine().check_programs("profile"));
  EXPECT_FALSE(FileScope::machine().holds(std::string(5000, 'a')));  // no file can be called so
  EXPECT_FALSE(FileScope::machine().holds("/tmp/" + std::string(300, 'a')));
}

TEST(FileScope, OfAFolderHoldsWhatLiesBelowIt) {
  const FileScope scope = FileScope::folder("/tmp/uploads");
  EXPECT_TRUE(scope.holds("/tmp/uploads/0123/run.json"));
  EXPECT_TRUE(scope.holds("/tmp//uploads/./0123/../4567"));
  for (const std::string path :
       {"/tmp/uploads", "/tmp/uploads2/a", "/tmp", "/etc/passwd", "/tmp/uploads/../other", "0123/run.json",
        "../tmp/uploads/a", "~/a", "", "/dev/stdin"})
    EXPECT_FALSE(scope.holds(path)) << path;
  EXPECT_FALSE(scope.holds(std::string("/tmp/uploads/a\0b", 16)));
  EXPECT_FALSE(FileScope::folder("").holds("/tmp/a"));
  EXPECT_THROW(scope.check_programs("profile"), Unsupported);
}

}  // namespace
}  // namespace warploom
