#include "warploom/base/yaml.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

Json json_of_text(const std::string& text) { return json_of(parse_yaml(text, "a.yaml")); }

// What is said of a text that is refused.
std::string refusal(const std::string& text) {
  try {
    parse_yaml(text, "a.yaml");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "was read";
}

bool says(const std::string& text, const std::string& part) {
  const std::string message = refusal(text);
  return message.starts_with("a.yaml: ") && message.find(part) != std::string::npos;
}

// Lists of ten aliases each, `levels` deep.
std::string laughs(int levels) {
  std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < levels; ++i) {
    const std::string below = "*a" + std::to_string(i - 1), name = "a" + std::to_string(i);
    text += name + ": &" + name + " [" + below;
    for (int k = 1; k < 10; ++k) text += "," + below;
    text += "]\n";
  }
  return text;
}

TEST(Yaml, GivesScalarsListsAndMapsAsJson) {
  EXPECT_EQ(json_of_text("a: 1\nb: [x, '2', 2.5, true, null, ~]\nc: {d: , 3: 08}\na: 4\n").dump(),
            R"({"a":4,"b":["x","2",2.5,true,null,null],"c":{"d":null,"3":"08"}})");
  EXPECT_EQ(json_of_text(""), Json());
  EXPECT_EQ(json_of_text("x: '[1]'\ny: \"{}\"")["x"], "[1]");
}

TEST(Yaml, KnowsTheLineOfEveryValue) {
  const YamlNode root = parse_yaml("a: 1\nb:\n  - x\n  - y: z\n", "a.yaml");
  EXPECT_EQ(root.items[0]->line, 1);
  EXPECT_EQ(root.items[1]->items[1]->items[0]->line, 4);
}

TEST(Yaml, SharesWhatAnAliasNames) {
  EXPECT_EQ(json_of_text("a: &x {k: [1, 2]}\nb: *x\n").dump(), R"({"a":{"k":[1,2]},"b":{"k":[1,2]}})");
}

// The library would read these as UTF-16 and hand on bytes that no JSON can be written with.
TEST(Yaml, RefusesZeroBytes) {
  EXPECT_TRUE(says(std::string("a: 1\nb: \0x\n", 12), "line 2: has a zero byte (byte 9)"));
  EXPECT_TRUE(says(std::string("\0\0\0el", 5), "line 1: has a zero byte (byte 1)"));
  EXPECT_TRUE(says(std::string("a: \xff\0", 5), "line 1: is not UTF-8 (byte 4)"));
}

TEST(Yaml, RefusesAnAliasInsideWhatItNames) {
  EXPECT_TRUE(says("compilation: &a {b: *a}\n", "line 1: an alias stands inside what it names"));
  EXPECT_TRUE(says("- &a\n  - 1\n  - [2, *a]\n", "line 3: an alias stands inside what it names"));
}

TEST(Yaml, RefusesAliasesThatStandForTooManyValues) {
  EXPECT_TRUE(says(laughs(9), "more than 200000 values"));
  EXPECT_NE(refusal(laughs(9)).find("line 6"), std::string::npos) << refusal(laughs(9));
  EXPECT_EQ(refusal(laughs(4)), "was read");
}

TEST(Yaml, RefusesAliasesThatStandForTooMuchText) {
  std::string text = "a: &a " + std::string(1'000'000, 'x') + "\nb: [*a";
  for (int i = 0; i < 20; ++i) text += ", *a";
  EXPECT_TRUE(says(text + "]\n", "bytes of text"));
}

TEST(Yaml, RefusesNestingBeyondTheLimit) {
  const auto nested = [](int levels) {
    return std::string(std::size_t(levels), '[') + std::string(std::size_t(levels), ']');
  };
  EXPECT_EQ(refusal(nested(kMostYamlLevels)), "was read");
  EXPECT_TRUE(says(nested(kMostYamlLevels + 1), "nested more than 64 levels deep"));
  EXPECT_TRUE(says(std::string(100'000, '['), "nested more than 64 levels deep"));
  // Levels that an alias brings count too.
  std::string text = "- &a0 [1]\n";
  for (int i = 1; i < 80; ++i) text += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_TRUE(says(text, "nested more than 64 levels deep"));
}

TEST(Yaml, RefusesFilesBeyondTheLimitBeforeReadingThem) {
  const ScratchFolder folder;
  folder.write_gzip("a.yaml", "a: " + std::string(kMostYamlBytes, 'x'));
  EXPECT_THROW(read_yaml_file(folder.path() / "a.yaml"), InvalidInput);
  EXPECT_THROW(read_yaml_file(folder.path() / "absent.yaml"), IoError);
}

TEST(Yaml, NamesTheLineOfWhatIsNoUtf8OrNoText) {
  EXPECT_TRUE(says("a: 1\nb: \xFF\n", "line 2: is not UTF-8"));
  EXPECT_TRUE(says("a: \xED\xA0\x80", "line 1: is not UTF-8"));  // a surrogate
  EXPECT_TRUE(says("? [1]\n: 2\n", "line 1: a key is a list or a map, expected a text"));
  EXPECT_TRUE(says("a: [1\n", "line 2"));
  EXPECT_EQ(json_of_text("a: \xC3\xA4\xF0\x9F\x98\x80")["a"], "\xC3\xA4\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace warploom
