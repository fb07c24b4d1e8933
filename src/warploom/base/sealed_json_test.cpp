#include "warploom/base/sealed_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

const Json kFigures = {{"name", "m"}, {"factor", 1.7882723747126095}, {"rows", {1, 2.5}}};

TEST(SealedJson, IsReadAsItWasWritten) {
  const ScratchFolder folder;
  write_sealed_json(folder.path() / "a.json", kFigures);
  Json read = read_json_file(folder.path() / "a.json");
  EXPECT_NO_THROW(check_seal(read, "a.json"));
  read.erase("_hash");
  EXPECT_EQ(read, kFigures);
}

TEST(SealedJson, NeedsNoSealAndNoOneLayout) {
  EXPECT_NO_THROW(check_seal(kFigures, "a.json"));
  EXPECT_NO_THROW(check_seal(Json::array(), "a.json"));
  const ScratchFolder folder;
  write_sealed_json(folder.path() / "a.json", kFigures);
  const std::string text = read_json_file(folder.path() / "a.json").dump(7);
  EXPECT_NO_THROW(check_seal(parse_json(text, "a.json"), "a.json"));
}

// A flipped bit is no JSON, another seal, a digit or a space that nothing rests on, or the name of the seal.
TEST(SealedJson, TellsEveryFlippedBit) {
  const ScratchFolder folder;
  write_sealed_json(folder.path() / "a.json", kFigures);
  const std::string sound = read_file(folder.path() / "a.json");
  int refused = 0;
  for (std::size_t bit = 0; bit < 8 * sound.size(); ++bit) {
    std::string flipped = sound;
    flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << bit % 8));
    try {
      Json read = parse_json(flipped, "a.json");
      check_seal(read, "a.json");
      for (const auto& [key, value] : kFigures.items())
        EXPECT_EQ(read.is_object() ? read.value(key, Json()) : Json(), value) << flipped;
    } catch (const InvalidInput&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, int(4 * sound.size()));
}

TEST(SealedJson, SaysWhatIsExpected) {
  Json edited = kFigures;
  edited["_hash"] = "0123456789abcdef";
  try {
    check_seal(edited, "a.json");
    FAIL() << "was taken";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(
        error.what(),
        "a.json: is damaged or was edited ('_hash' is not the hash of the rest), expected the file as "
        "it was written, or none of that key in one of your own");
  }
}

}  // namespace
}  // namespace warploom
