#include "warploom/base/hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace warploom {
namespace {

// Published XXH64 values of the reference implementation.
TEST(Hash, MatchesPublishedXxh64Values) {
  EXPECT_EQ(hash_bytes(""), 0xEF46DB3751D8E999ULL);
  EXPECT_EQ(hash_bytes("a"), 0xD24EC4F1A98C6E5BULL);
  EXPECT_EQ(hash_bytes("abc"), 0x44BC2CF5AD770999ULL);
}

TEST(Hash, DependsOnSeedAndEveryByte) {
  EXPECT_NE(hash_bytes("abc", 0), hash_bytes("abc", 1));
  EXPECT_NE(hash_bytes("abc"), hash_bytes("abd"));
  EXPECT_NE(hash_bytes(std::string_view("a\0b", 3)), hash_bytes(std::string_view("a\0c", 3)));
}

TEST(HashCombine, DependsOnOrder) {
  EXPECT_NE(hash_combine(hash_combine(0, 1), 2), hash_combine(hash_combine(0, 2), 1));
  static_assert(hash_combine(1, 2) == hash_combine(1, 2));
}

RC_GTEST_PROP(HashCombine, HasNoCollisionForOneRunningHash, (std::uint64_t hash)) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t value = 0; value < 1000; ++value)
    RC_ASSERT(seen.insert(hash_combine(hash, value)).second);
}

}  // namespace
}  // namespace warploom
