#include "warploom/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {
namespace fs = std::filesystem;

TEST(ReadFile, GivesBackWhatWasWritten) {
  const ScratchFolder folder;
  const std::string contents("line\nzero \0 byte\n", 17);
  write_file_atomically(folder.path() / "deep" / "er" / "file", contents);
  EXPECT_EQ(read_file(folder.path() / "deep" / "er" / "file"), contents);
}

TEST(ReadFile, UndoesGzip) {
  const ScratchFolder folder;
  const std::string contents(1'000'000, 'x');
  folder.write_gzip("big.gz", contents);
  EXPECT_LT(fs::file_size(folder.path() / "big.gz"), 10'000U);
  EXPECT_EQ(read_file(folder.path() / "big.gz"), contents);
}

TEST(ReadFile, RefusesTruncatedGzip) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 100'003);
  folder.write_gzip("cut.gz", text);
  for (const std::uintmax_t divisor : {2U, 50U}) {
    fs::resize_file(folder.path() / "cut.gz", fs::file_size(folder.path() / "cut.gz") / divisor);
    EXPECT_THROW(read_file(folder.path() / "cut.gz"), IoError) << divisor;
  }
}

TEST(ReadFile, StopsWhereGzipUnpacksToMoreThanTheLimit) {
  const ScratchFolder folder;
  folder.write_gzip("bomb.gz", std::string(4'000'000, '\0'));
  EXPECT_LT(fs::file_size(folder.path() / "bomb.gz"), 10'000U);
  EXPECT_EQ(read_file(folder.path() / "bomb.gz", 4'000'000).size(), 4'000'000U);
  try {
    read_file(folder.path() / "bomb.gz", 3'999'999);
    FAIL() << "a file beyond the limit was read";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("more than 3999999 bytes"), std::string::npos) << error.what();
  }
}

TEST(ReadFile, NamesThePathOfAMissingFileAndOfAFolder) {
  const ScratchFolder folder;
  try {
    read_file(folder.path() / "absent.json");
    FAIL() << "a missing file was read";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("absent.json"), std::string::npos) << error.what();
  }
  EXPECT_THROW(read_file(folder.path()), IoError);
}

TEST(ReadFile, NeverOpensWhatIsNoRegularFile) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const fs::path& path : {pipe, fs::path("/dev/zero"), fs::path("/dev/null")}) {
    EXPECT_THROW(read_file(path), IoError) << path;
    EXPECT_THROW(CsvReader reader(path), IoError) << path;
  }
  try {
    read_file(pipe);
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("expected a regular file"), std::string::npos) << error.what();
  }
}

TEST(WriteFileAtomically, ReplacesTheWholeFileAndLeavesNothingElse) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "file", "a long first version");
  write_file_atomically(folder.path() / "file", "short");
  EXPECT_EQ(read_file(folder.path() / "file"), "short");
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"file"});
}

TEST(WriteFileAtomically, LeavesNoPartWhenTheTargetIsAFolder) {
  const ScratchFolder folder;
  fs::create_directories(folder.path() / "taken" / "inside");
  EXPECT_THROW(write_file_atomically(folder.path() / "taken", "text"), IoError);
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"taken"});
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenWritingFails) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "file", "old");
  fs::create_directory(folder.path() / ("file.partial-" + std::to_string(::getpid())));
  EXPECT_THROW(write_file_atomically(folder.path() / "file", "new"), IoError);
  EXPECT_EQ(read_file(folder.path() / "file"), "old");
}

TEST(WriteFileAtomically, RefusesAParentThatIsAFile) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "file", "x");
  EXPECT_THROW(write_file_atomically(folder.path() / "file" / "below", "y"), IoError);
}

}  // namespace
}  // namespace warploom
