// Every version of every format stays readable, every shipped file is rewritten as it is, damage is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "small_files.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/baselines/method_file.h"

namespace warploom::formats {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = WARPLOOM_SOURCE_DIR;
const fs::path kFiles = kSource / "tests" / "formats" / "files";

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension().string().starts_with(".wl")) paths.push_back(entry.path());
  return paths;
}

std::string format_of(const std::string& name) { return name.substr(0, name.find('-')); }

TEST(Formats, TodaysVersionsHaveAFile) {
  const char* output = std::getenv("WARPLOOM_FORMATS_OUTPUT");
  for (const SmallFile& small : small_files()) {
    if (output != nullptr) write_file_atomically(fs::path(output) / small.name, small.bytes);
    ASSERT_TRUE(fs::exists(kFiles / small.name)) << small.name << ": see tests/formats/README.md";
    EXPECT_EQ(read_file(kFiles / small.name), small.bytes)
        << small.name << ": written otherwise today, expected a new version and its file";
  }
}

TEST(Formats, EveryReleasedVersionIsRead) {
  const std::vector<fs::path> paths = files_in(kFiles);
  EXPECT_GE(paths.size(), small_files().size());
  for (const fs::path& path : paths) {
    const std::string name = path.filename();
    std::string again;
    try {
      again = rewritten(name, read_file(path));
    } catch (const Unsupported& error) {
      // The layout is known, but what was learned is of other features or constants.
      const std::string_view words(error.what());
      EXPECT_TRUE(words.find("learned from features") != words.npos ||
                  words.find("fitted constants") != words.npos)
          << words;
      continue;
    }
    // What was read is what today's file of the format holds, except for what older versions lack: where a
    // correction was learned. Of a format that is written in two versions it is the file of its own.
    const std::vector<SmallFile> all = small_files();
    const bool is_todays =
        std::any_of(all.begin(), all.end(), [&](const SmallFile& small) { return small.name == name; });
    for (const SmallFile& small : all)
      if (is_todays ? small.name == name
                    : format_of(small.name) == format_of(name) && name != "correction-1.0.wlc") {
        EXPECT_EQ(again, small.bytes) << name;
      }
  }
}

TEST(Formats, EveryShippedFileIsRewrittenAsItIs) {
  int files = 0;
  for (const char* folder : {"predictor", "ceiling", "moe_config", "tuner"})
    for (const fs::path& path : files_in(kSource / "data" / folder)) {
      const std::string bytes = read_file(path);
      EXPECT_TRUE(rewritten(path.filename(), bytes) == bytes) << path;
      ++files;
    }
  EXPECT_GT(files, 40);
}

// The reader's refusal; an empty text when the bytes were read.
std::string refusal_of(const std::string& name, const std::string& bytes) {
  try {
    rewritten(name, bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Formats, EveryCutAndEveryChangedByteIsRefusedByName) {
  for (const SmallFile& small : small_files()) {
    const auto refused = [&](const std::string& damaged, std::size_t at) {
      const std::string words = refusal_of(small.name, damaged);
      EXPECT_TRUE(words.starts_with(small.name)) << small.name << ", byte " << at << ": " << words;
    };
    for (std::size_t at = 0; at < small.bytes.size(); ++at) {
      std::string damaged = small.bytes;
      damaged[at] = char(damaged[at] ^ (1 << (at % 8)));
      refused(damaged, at);
      refused(small.bytes.substr(0, at), at);
    }
    refused(small.bytes + "x", small.bytes.size());
  }
}

TEST(Formats, ANewerMajorIsUnsupportedAndAnotherFormatIsNoInput) {
  constexpr std::size_t kMajor = 8;
  for (const SmallFile& small : small_files()) {
    std::string newer = small.bytes;
    newer[kMajor] = 99;
    EXPECT_THROW(rewritten(small.name, newer), Unsupported) << small.name;
    // Methods have one format, whose head says which method a file holds.
    const auto format = [](const SmallFile& file) {
      return file.name.ends_with(kMethodFileSuffix) ? "method" : format_of(file.name);
    };
    for (const SmallFile& other : small_files())
      if (format(other) != format(small)) {
        EXPECT_THROW(rewritten(small.name, other.bytes), InvalidInput) << other.name << " as " << small.name;
      }
  }
}

}  // namespace
}  // namespace warploom::formats
