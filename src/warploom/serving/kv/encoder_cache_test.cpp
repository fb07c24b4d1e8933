#include "warploom/serving/kv/encoder_cache.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(EncoderCache, KeepsWhatIsHeldAndGivesWayByAge) {
  EncoderCache cache(100, 100);
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(cache.make_room(25));
    cache.add(i, 10 + i, 25);
  }
  EXPECT_FALSE(cache.make_room(1));  // all are held
  cache.let_go(1, 11);
  cache.let_go(0, 10);
  EXPECT_EQ(cache.held_tokens(), 50);
  EXPECT_EQ(cache.kept_tokens(), 100);
  EXPECT_TRUE(cache.hold(0, 10));  // still there, and held again
  EXPECT_FALSE(cache.make_room(30));
  EXPECT_TRUE(cache.make_room(25));  // 1 gives way
  EXPECT_FALSE(cache.hold(1, 11));
  EXPECT_TRUE(cache.hold(0, 10));
  EXPECT_EQ(cache.kept_tokens(), 75);
  EXPECT_TRUE(cache.forget(2, 12));
  EXPECT_EQ(cache.held_tokens(), 50);
  EXPECT_FALSE(cache.hold(2, 12));
  cache.let_go(2, 12);  // not there: nothing
  EXPECT_EQ(cache.kept_tokens(), 50);
}

TEST(EncoderCache, LongestUnusedGivesWayFirst) {
  EncoderCache cache(10, 30);
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(cache.make_room(10));
    cache.add(i, i, 10);
  }
  for (const std::uint32_t i : {2U, 0U, 1U}) cache.let_go(i, i);
  ASSERT_TRUE(cache.make_room(20));
  EXPECT_TRUE(cache.hold(1, 11));
  EXPECT_FALSE(cache.hold(0, 10));
  EXPECT_FALSE(cache.hold(2, 12));
}

// Two requests of a session with the same picture.
TEST(EncoderCache, WhatTwoRequestsHoldStaysUntilBothLetGo) {
  EncoderCache cache(10, 30);
  ASSERT_TRUE(cache.make_room(20));
  cache.add(7, 1, 20);
  EXPECT_TRUE(cache.hold(7, 2));
  EXPECT_TRUE(cache.hold(7, 2));  // once, however often it asks
  cache.let_go(7, 1);
  EXPECT_EQ(cache.held_tokens(), 20);
  cache.let_go(7, 1);  // not its any more
  EXPECT_EQ(cache.held_tokens(), 20);
  cache.let_go(7, 2);
  EXPECT_EQ(cache.held_tokens(), 0);
  EXPECT_EQ(cache.kept_tokens(), 20);
  EXPECT_TRUE(cache.hold(7, 1));
  EXPECT_TRUE(cache.hold(7, 2));
  EXPECT_FALSE(cache.forget(7, 1));  // the other needs it
  EXPECT_EQ(cache.kept_tokens(), 20);
  EXPECT_TRUE(cache.forget(7, 2));
  EXPECT_EQ(cache.kept_tokens(), 0);
}

}  // namespace
}  // namespace warploom
