#include "warploom/base/whole_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <set>
#include <thread>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {
namespace fs = std::filesystem;

std::vector<FolderFile> files_of(const std::string& contents, int count) {
  std::vector<FolderFile> files;
  for (int i = 0; i < count; ++i) files.push_back({std::string(1, char('a' + i)) + ".wlp", contents});
  return files;
}

void write(const fs::path& folder, const std::vector<FolderFile>& files, bool keeps_others = true) {
  write_whole_folder(folder,
                     {.created_by = "warploom test",
                      .suffixes = {".wlp", ".wlt"},
                      .removed = {},
                      .keeps_others = keeps_others},
                     files);
}

// Every file's contents, each checked; throws what a reader of the folder throws.
std::string read_whole(const fs::path& folder) {
  const FolderManifest manifest(folder);
  std::string all;
  for (const char* suffix : {".wlp", ".wlt"})
    for (const fs::path& path : manifest.paths(suffix)) {
      const std::string bytes = read_file(path);
      manifest.check(path, bytes);
      all += path.stem().string() + bytes;
    }
  return all;
}

std::string refusal(const fs::path& folder) {
  try {
    return "read: " + read_whole(folder);
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

TEST(WholeFolder, GivesBackWhatWasWrittenAndLeavesNothingElse) {
  const ScratchFolder folder;
  write(folder.path(), files_of("1", 3));
  EXPECT_EQ(read_whole(folder.path()), "a1b1c1");
  write(folder.path(), files_of("2", 2));
  EXPECT_EQ(read_whole(folder.path()), "a2b2c1");
  write(folder.path(), files_of("3", 1), false);
  EXPECT_EQ(read_whole(folder.path()), "a3");
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"a.wlp", "manifest.json"}));
}

TEST(WholeFolder, RefusesFilesThatAreMissingChangedOrOfAnother) {
  const ScratchFolder folder;
  write(folder.path(), files_of("1", 3));
  folder.write("b.wlp", "of another");
  EXPECT_NE(refusal(folder.path()).find("b.wlp is not the one of its manifest.json"), std::string::npos)
      << refusal(folder.path());
  fs::remove(folder.path() / "b.wlp");
  EXPECT_NE(refusal(folder.path()).find("b.wlp is in its manifest.json, but not there"), std::string::npos);
  EXPECT_THROW(write(folder.path(), files_of("2", 1)), Error);  // the rest would be taken for whole
  write(folder.path(), files_of("2", 3));
  folder.write("d.wlp", "of another");
  EXPECT_NE(refusal(folder.path()).find("d.wlp is not in its manifest.json"), std::string::npos);
  write(folder.path(), files_of("2", 3));
  EXPECT_EQ(read_whole(folder.path()), "a2b2c2");
}

TEST(WholeFolder, TakesAFolderOfAnOlderProgramAsItIs) {
  const ScratchFolder folder;
  folder.write("a.wlp", "1");
  folder.write("b.wlp", "1");
  folder.write("notes.txt", "mine");
  EXPECT_EQ(read_whole(folder.path()), "a1b1");
  write(folder.path(), files_of("2", 1));
  EXPECT_EQ(read_whole(folder.path()), "a2b1");
  EXPECT_EQ(read_file(folder.path() / "notes.txt"), "mine");
}

TEST(WholeFolder, RefusesAManifestThatIsNone) {
  const ScratchFolder folder;
  for (const char* text : {"[]", "{", R"({"schema": 3})", R"({"schema": "warploom_folder", "version": "x"})",
                           R"({"schema": "warploom_folder", "version": 1, "files": []})",
                           R"({"schema": "warploom_folder", "version": 1, "files": {"a.wlp": 3}})",
                           R"({"schema": "warploom_folder", "version": 1, "files": {"a.wlp": "xyz"}})"}) {
    folder.write("manifest.json", text);
    EXPECT_THROW(FolderManifest{folder.path()}, Error) << text;
  }
}

TEST(WholeFolder, KeepsTheOldOneWhenAFileCannotBeWritten) {
  const ScratchFolder folder;
  write(folder.path(), files_of("1", 3));
  std::vector<FolderFile> files = files_of("2", 3);
  files.back().name = "no/such/../../..";
  EXPECT_THROW(write(folder.path(), files), IoError);
  EXPECT_EQ(read_whole(folder.path()), "a1b1c1");
}

// A child that is killed at some moment of its writing: old, new or refused, and mended by writing again.
TEST(WholeFolder, IsOldNewOrRefusedWhenItsWriterIsKilled) {
  const ScratchFolder scratch;
  const fs::path folder = scratch.path() / "predictor";
  const std::string large(200'000, 'x');
  std::set<std::string> seen;
  const auto begin = std::chrono::steady_clock::now();
  write(folder, files_of(large, 9), false);
  const auto undisturbed = std::chrono::steady_clock::now() - begin;
  constexpr int kKills = 12;
  for (int kill = 0; kill < kKills; ++kill) {
    write(folder, files_of("1", 8), false);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      write(folder, files_of(large, 9), false);
      ::_exit(0);
    }
    std::this_thread::sleep_for(undisturbed * kill / kKills);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string now = refusal(folder);
    const bool is_old = now == "read: a1b1c1d1e1f1g1h1";
    const bool is_new = now.size() > 9 * large.size() && now.starts_with("read: ax");
    EXPECT_TRUE(is_old || is_new || !now.starts_with("read:")) << now.substr(0, 100);
    seen.insert(is_old ? "old" : is_new ? "new" : "refused");
  }
  write(folder, files_of("2", 9), false);
  EXPECT_EQ(read_whole(folder), "a2b2c2d2e2f2g2h2i2");
  EXPECT_TRUE(seen.contains("old"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 10);
}

TEST(WholeFolder, SecondWriterWaitsForTheFirst) {
  const ScratchFolder folder;
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0; i < 2; ++i) write(folder.path(), files_of(std::to_string(writer), 6), false);
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::string now = refusal(folder.path());
  ASSERT_EQ(now.size(), std::string("read: ").size() + 12) << now;
  for (std::size_t i = 7; i < now.size(); i += 2) EXPECT_EQ(now[i], now[7]) << now;
}

}  // namespace
}  // namespace warploom
