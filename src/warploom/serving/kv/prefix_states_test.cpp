#include "warploom/serving/kv/prefix_states.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(PrefixStates, LieInBlocksAndGoWhenOthersWantThem) {
  KvCache cache(10, 16, 1, {.state = 3, .kept_state = 3});
  PrefixStates states = PrefixStates::in_blocks(16);
  states.keep(cache, 7, 1);
  EXPECT_TRUE(states.find(cache, 7));
  EXPECT_FALSE(states.find(cache, 8));
  EXPECT_EQ(cache.kept_units(), 3);
  EXPECT_EQ(cache.free_blocks(), 10);  // nobody uses it
  states.keep(cache, 7, 1);
  EXPECT_EQ(cache.kept_units(), 3);
  ASSERT_TRUE(cache.allocate(8));
  EXPECT_FALSE(states.find(cache, 7));
}

TEST(PrefixStates, FillWhatRunningRequestsLeaveOfAPool) {
  KvCache cache(10, 1, 16);
  PrefixStates states = PrefixStates::in_pool(64, 10, 3);
  for (std::uint64_t hash = 1; hash <= 4; ++hash) states.keep(cache, hash, 2);
  EXPECT_TRUE(states.find(cache, 1));  // and is the last used now
  states.keep(cache, 5, 2);
  EXPECT_TRUE(states.find(cache, 1));
  EXPECT_FALSE(states.find(cache, 2));
  states.keep(cache, 6, 3);  // one slot is left
  EXPECT_FALSE(states.find(cache, 1));
  EXPECT_TRUE(states.find(cache, 6));
  states.keep(cache, 7, 4);
  EXPECT_FALSE(states.find(cache, 7));
}

TEST(PrefixStates, StandWhereTheEnginePutsThem) {
  const PrefixStates blocks = PrefixStates::in_blocks(560), pool = PrefixStates::in_pool(64, 10, 3);
  EXPECT_EQ(blocks.last_place(2000, 2000), 1680);
  EXPECT_EQ(blocks.last_place(1120, 1120), 560);
  EXPECT_EQ(blocks.last_place(1000, 2000), 0);
  EXPECT_EQ(blocks.last_of_outputs(5000, 2000), 0);
  EXPECT_EQ(pool.last_place(1000, 2000), 960);
  EXPECT_EQ(pool.last_of_outputs(2600, 2000), 2560);
  EXPECT_EQ(pool.last_of_outputs(2040, 2000), 0);
}

}  // namespace
}  // namespace warploom
