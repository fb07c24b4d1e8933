#include "warploom/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/open_descriptor.h"
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

// While it lives, no file of this process may grow beyond so many bytes.
class LargestFile {
 public:
  explicit LargestFile(rlim_t bytes) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~LargestFile() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, ignored_);
  }
  LargestFile(const LargestFile&) = delete;
  LargestFile& operator=(const LargestFile&) = delete;

 private:
  rlimit before_{};
  void (*ignored_)(int);
};

TEST(WriteFileAtomically, KeepsTheOldFileWhenWritingFails) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "file", "old");
  {
    const LargestFile limit(1000);
    EXPECT_THROW(write_file_atomically(folder.path() / "file", std::string(2000, 'x')), IoError);
  }
  EXPECT_EQ(read_file(folder.path() / "file"), "old");
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"file"});
}

fs::perms permissions_of(const fs::path& path) { return fs::status(path).permissions(); }

TEST(WriteFileAtomically, KeepsPermissionsAndFollowsLinks) {
  const ScratchFolder folder;
  const fs::path file = folder.write("file", "old"), link = folder.path() / "link";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(file), "new");
  EXPECT_EQ(permissions_of(file), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("not there yet", folder.path() / "dangling");
  write_file_atomically(folder.path() / "dangling", "made");
  EXPECT_EQ(read_file(folder.path() / "not there yet"), "made");
  fs::create_symlink("round", folder.path() / "round");
  EXPECT_THROW(write_file_atomically(folder.path() / "round", "x"), IoError);
}

TEST(WriteFileAtomically, WritesIntoPipesDevicesAndDescriptors) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writes([&] { write_file_atomically(pipe, "through the pipe"); });
  std::string got;
  std::getline(std::ifstream(pipe), got);
  writes.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));

  EXPECT_THROW(write_file_atomically("/dev/full", "x"), IoError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));

  // A file that the shell opened is written on where it stands, whatever its name.
  const fs::path opened = folder.write("opened", "");
  const OpenDescriptor file(::open(opened.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::write(file.get(), "first ", 6), 6);
  const std::string number = std::to_string(file.get());
  write_file_atomically("/dev/fd/" + number, "second ");
  write_file_atomically("/proc/self/fd/" + number, "third");
  EXPECT_EQ(read_file(opened), "first second third");
}

TEST(WriteFileAtomically, OpensNoLinkThatOthersLaid) {
  const ScratchFolder folder;
  const fs::path victim = folder.write("victim", "untouched");
  for (int pid = ::getpid(); pid < ::getpid() + 50; ++pid)
    fs::create_symlink(victim, folder.path() / ("file.partial-" + std::to_string(pid)));
  write_file_atomically(folder.path() / "file", "text");
  EXPECT_EQ(read_file(victim), "untouched");
  EXPECT_EQ(read_file(folder.path() / "file"), "text");
}

TEST(WriteFileAtomically, RemovesWhatKilledWritersLeft) {
  const ScratchFolder folder;
  const fs::path left = folder.write(".partial-0123456789abcdef", "of a killed writer");
  const fs::path held = folder.write(".partial-fedcba9876543210", "of one that writes");
  const fs::path others = folder.write(".partial-of-a-user", "no name of a writer");
  const fs::path link = folder.path() / ".partial-0000000000000000";
  fs::create_symlink("file", link);
  OpenDescriptor writer(::open(held.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  write_file_atomically(folder.path() / "file", "text");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(read_file(held), "of one that writes");
  EXPECT_EQ(read_file(others), "no name of a writer");
  EXPECT_TRUE(fs::is_symlink(link));
  writer.reset(-1);
  write_file_atomically(folder.path() / "file", "again");
  EXPECT_FALSE(fs::exists(held));
  EXPECT_EQ(read_file(folder.path() / "file"), "again");
}

TEST(WriteFileAtomically, WritersOfOneFolderTakeNothingFromEachOther) {
  const ScratchFolder folder;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&folder, writer] {
      for (int i = 0; i < 50; ++i)
        EXPECT_NO_THROW(write_file_atomically(folder.path() / std::to_string(writer), std::to_string(i)));
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 4);
  for (int writer = 0; writer < 4; ++writer)
    EXPECT_EQ(read_file(folder.path() / std::to_string(writer)), "49");
}

TEST(WriteFileAtomically, RefusesAParentThatIsAFile) {
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "file", "x");
  EXPECT_THROW(write_file_atomically(folder.path() / "file" / "below", "y"), IoError);
}

}  // namespace
}  // namespace warploom
