#include "warploom/base/framed_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

constexpr FileFormat kFormat{.magic = "WLTESTER",
                             .schema = "warploom_test",
                             .name = "test file",
                             .written_by = "warploom test",
                             .major = 3,
                             .minor = 1,
                             .oldest_major = 2};
constexpr FileFormat kWhole{.magic = "WLWHOLES",
                            .schema = "warploom_whole",
                            .name = "whole file",
                            .written_by = "warploom whole",
                            .has_minor = false};

std::string small_file(const FileFormat& format) {
  Json head = file_head(format, "a test");
  head["rows"] = 7;
  head["data_hash"] = hash_text(0xAB);
  head["share"] = 0.25;
  head["gpus"] = {"a", "b"};
  head["feature_version"] = 4;
  ByteWriter records;
  records.put(1.5F);
  records.put_text("trees");
  return framed_file(format, head, records.bytes());
}

FileFormat of_version(std::uint32_t major, std::uint32_t minor) {
  FileFormat format = kFormat;
  format.major = major;
  format.minor = minor;
  return format;
}

// The words of the error of type E that reading throws.
template <class E>
std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing of that type was thrown";
  return {};
}

TEST(FramedFile, GivesBackHeadAndRecords) {
  for (const FileFormat& format : {kFormat, kWhole}) {
    const std::string bytes = small_file(format);
    FramedFile file = open_framed_file(format, bytes, "here");
    EXPECT_EQ(file.major, format.major);
    EXPECT_EQ(file.minor, format.minor);
    EXPECT_EQ(file.head.text("created_by"), "a test");
    EXPECT_EQ(file.head.count("rows"), 7U);
    EXPECT_EQ(file.head.hash("data_hash"), 0xABU);
    EXPECT_EQ(file.head.number("share"), 0.25);
    EXPECT_EQ(file.head.texts("gpus"), (std::vector<std::string>{"a", "b"}));
    EXPECT_NO_THROW(file.head.check_features(4));
    EXPECT_EQ(file.records.take<float>(), 1.5F);
    EXPECT_EQ(file.records.take_text(), "trees");
    EXPECT_NO_THROW(file.finish(format, "here"));
  }
}

TEST(FramedFile, RefusesVersionsThatItCannotReadNamingBoth) {
  const std::string newer =
      refusal<Unsupported>([] { open_framed_file(kFormat, small_file(of_version(4, 0)), "new.bin"); });
  EXPECT_EQ(newer, "new.bin: test file of version 4.0, but this program reads version 3.1");
  const std::string older =
      refusal<Unsupported>([] { open_framed_file(kFormat, small_file(of_version(1, 5)), "old.bin"); });
  EXPECT_EQ(
      older,
      "old.bin: test file of version 1.5, but this program reads version 3.1: run `warploom test` again");
  EXPECT_EQ(open_framed_file(kFormat, small_file(of_version(2, 9)), "t").major, 2U);
}

TEST(FramedFile, ReadsANewerMinorAndLeavesWhatItAppends) {
  const std::string bytes = small_file(of_version(3, 2));
  FramedFile newer = open_framed_file(kFormat, bytes, "t");
  newer.records.take<float>();
  EXPECT_NO_THROW(newer.finish(kFormat, "t"));
  const std::string own = small_file(kFormat);
  FramedFile file = open_framed_file(kFormat, own, "t");
  file.records.take<float>();
  const std::string left = refusal<InvalidInput>([&] { file.finish(kFormat, "t"); });
  EXPECT_NE(left.find("from byte 4 of its records"), std::string::npos) << left;
}

TEST(FramedFile, RefusesEveryCutAndEveryChangedBit) {
  const std::string sound = small_file(kFormat);
  for (std::size_t size = 0; size < sound.size(); ++size)
    EXPECT_THROW(open_framed_file(kFormat, std::string_view(sound).substr(0, size), "t"), InvalidInput)
        << size;
  for (std::size_t at = 0; at < sound.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = sound;
      damaged[at] = char(damaged[at] ^ (1 << bit));
      EXPECT_THROW(open_framed_file(kFormat, damaged, "t"), Error) << at;
    }
}

TEST(FramedFile, SaysWhichKeyIsWrong) {
  const std::string bytes = small_file(kFormat);
  const FileHead head = open_framed_file(kFormat, bytes, "f.bin").head;
  EXPECT_EQ(refusal<InvalidInput>([&] { head.count("seed"); }), "f.bin: the test file's head has no 'seed'");
  EXPECT_EQ(refusal<InvalidInput>([&] { head.hash("created_by"); }),
            "f.bin: 'created_by' in the test file's head is not a hexadecimal number");
  EXPECT_EQ(refusal<InvalidInput>([&] { head.count("share"); }),
            "f.bin: 'share' in the test file's head is not a whole number of at least 0");
  EXPECT_NE(refusal<Unsupported>([&] { head.check_features(5); }).find("version 4"), std::string::npos);
  FileFormat other = kFormat;
  other.schema = "warploom_other";
  EXPECT_EQ(refusal<InvalidInput>([&] { open_framed_file(other, bytes, "f.bin"); }),
            "f.bin: the test file's schema is 'warploom_test', expected 'warploom_other'");
}

}  // namespace
}  // namespace warploom
