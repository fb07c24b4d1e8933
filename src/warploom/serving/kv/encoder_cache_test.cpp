#include "warploom/serving/kv/encoder_cache.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(EncoderCache, KeepsWhatIsHeldAndGivesWayByAge) {
  EncoderCache cache(100, 100);
  const auto key = [](std::uint32_t request) { return EncoderCache::key_of(request, 0); };
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(cache.make_room(25));
    cache.add(key(i), 25);
  }
  EXPECT_FALSE(cache.make_room(1));  // all are held
  cache.let_go(key(1));
  cache.let_go(key(0));
  EXPECT_EQ(cache.held_tokens(), 50);
  EXPECT_EQ(cache.kept_tokens(), 100);
  EXPECT_TRUE(cache.hold(key(0)));  // still there, and held again
  EXPECT_FALSE(cache.make_room(30));
  EXPECT_TRUE(cache.make_room(25));  // 1 gives way
  EXPECT_FALSE(cache.hold(key(1)));
  EXPECT_TRUE(cache.hold(key(0)));
  EXPECT_EQ(cache.kept_tokens(), 75);
  cache.forget(key(2));
  EXPECT_EQ(cache.held_tokens(), 50);
  EXPECT_FALSE(cache.hold(key(2)));
  cache.let_go(key(2));  // not there: nothing
  EXPECT_EQ(cache.kept_tokens(), 50);
}

TEST(EncoderCache, LongestUnusedGivesWayFirst) {
  EncoderCache cache(10, 30);
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(cache.make_room(10));
    cache.add(i, 10);
  }
  for (const std::uint32_t i : {2U, 0U, 1U}) cache.let_go(i);
  ASSERT_TRUE(cache.make_room(20));
  EXPECT_TRUE(cache.hold(1));
  EXPECT_FALSE(cache.hold(0));
  EXPECT_FALSE(cache.hold(2));
}

}  // namespace
}  // namespace warploom
