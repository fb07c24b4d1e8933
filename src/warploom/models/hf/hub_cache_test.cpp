#include "warploom/models/hf/hub_cache.h"

#include <gtest/gtest.h>

#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;

TEST(HubCache, FindsTheSnapshotThatMainNames) {
  const ScratchFolder scratch;
  const fs::path repository = scratch.path() / "models--org--model.v1";
  for (const char* commit : {"0a", "1b"}) fs::create_directories(repository / "snapshots" / commit);
  EXPECT_EQ(cached_config(scratch.path(), "org/model.v1"), std::nullopt);
  for (const char* commit : {"0a", "1b"})
    scratch.write(std::string("models--org--model.v1/snapshots/") + commit + "/config.json", "{}");
  EXPECT_EQ(cached_config(scratch.path(), "org/model.v1"), repository / "snapshots/0a/config.json");
  fs::create_directories(repository / "refs");
  scratch.write("models--org--model.v1/refs/main", "1b\n");
  EXPECT_EQ(cached_config(scratch.path(), "org/model.v1"), repository / "snapshots/1b/config.json");
  scratch.write("models--org--model.v1/refs/main", "../../../../etc");
  EXPECT_EQ(cached_config(scratch.path(), "org/model.v1"), repository / "snapshots/0a/config.json");
}

TEST(HubCache, LooksUpRepositoriesAlone) {
  const ScratchFolder scratch;
  for (const char* id : {"", "model", "/model", "org/", "a/b/c", "../x", "a/..", "a/b c", "a/b\n"})
    EXPECT_EQ(cached_config(scratch.path(), id), std::nullopt) << id;
  EXPECT_EQ(cached_config({}, "org/model"), std::nullopt);
}

}  // namespace
}  // namespace warploom
