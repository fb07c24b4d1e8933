#include "warploom/learning/deflate.h"

#include <gtest/gtest.h>

#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/random.h"

namespace warploom {
namespace {

// Bytes of two distributions, both without repetitions worth a reference.
std::vector<std::string> draw_parts(std::size_t size) {
  RandomStream random(3, "deflate");
  std::vector<std::string> parts(2);
  for (std::size_t i = 0; i < size; ++i) {
    parts[0] += char(random.integer(0, 3));
    parts[1] += char(100 + random.integer(0, 63));
  }
  return parts;
}

TEST(Deflate, GivesBackWhatItTook) {
  const std::string bytes = "a tree, a tree, a tree";
  EXPECT_EQ(inflate_bytes(deflate_bytes(bytes), 100, "test"), bytes);
  EXPECT_EQ(inflate_bytes(deflate_bytes(""), 0, "test"), "");
}

TEST(Deflate, JoinsPartsToOneText) {
  const std::vector<std::string> parts = draw_parts(40000);
  const std::string whole = parts[0] + parts[1];
  EXPECT_EQ(inflate_bytes(deflate_parts(parts), whole.size(), "test"), whole);
  EXPECT_EQ(inflate_bytes(deflate_parts({}), 0, "test"), "");
  const std::vector<std::string> some{"", "repeated repeated repeated", ""};
  EXPECT_EQ(inflate_bytes(deflate_parts(some), 100, "test"), some[1]);
}

TEST(Deflate, GivesEachPartCodesOfItsOwn) {
  // Two bits a byte and six bits a byte; together every byte would take five.
  const std::vector<std::string> parts = draw_parts(6000);
  EXPECT_LT(deflate_parts(parts).size(), 6000U * 2 / 8 + 6000U * 6 / 8 + 300U);
  EXPECT_LT(deflate_parts(parts).size(), deflate_bytes(parts[0] + parts[1]).size());
}

TEST(Deflate, RefusesDamageAndTooMuch) {
  std::string packed = deflate_parts(draw_parts(50));
  EXPECT_THROW(inflate_bytes(packed, 99, "test"), InvalidInput);
  packed[packed.size() - 1] = char(packed.back() ^ 1);
  EXPECT_THROW(inflate_bytes(packed, 100, "test"), InvalidInput);
  EXPECT_THROW(inflate_bytes("abc", 100, "test"), InvalidInput);
}

}  // namespace
}  // namespace warploom
