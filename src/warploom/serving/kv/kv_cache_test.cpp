#include "warploom/serving/kv/kv_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(KvCache, GivesAndTakesBlocks) {
  KvCache cache(10, 16);
  EXPECT_EQ(cache.layout().blocks(17, 0, cache.block_size()), 2);
  EXPECT_TRUE(cache.allocate(7));
  EXPECT_FALSE(cache.allocate(4));
  EXPECT_EQ(cache.free_blocks(), 3);
  cache.release(7);
  EXPECT_EQ(cache.used_blocks(), 0);
  EXPECT_THROW(KvCache(0, 16), InvalidInput);
}

// Full layers that keep half of what windowed ones do have twice the tokens in a block: a kept prefix is as
// long as such blocks.
TEST(KvCache, UnitsAreAsLongAsTheBlocksOfFullLayers) {
  const KvCache cache(100, 16, 1, {.full = 1, .windowed = 5, .window = 128, .full_stretch = 2});
  EXPECT_EQ(cache.unit_tokens(), 32);
  EXPECT_EQ(cache.unit_blocks(), 1);
  EXPECT_EQ(cache.layout().blocks(33, 0, cache.block_size()), 2 + 5 * 3);
}

TEST(KvCache, KeepsUnitsUntilTheirBlocksAreWantedOldestFirst) {
  KvCache cache(6, 16, 2);
  ASSERT_TRUE(cache.allocate(4));
  const auto first = cache.publish(11), second = cache.publish(22);
  EXPECT_EQ(cache.publish(11), KvCache::kNoUnit);
  cache.drop(second);
  cache.drop(first);
  EXPECT_EQ(cache.free_blocks(), 6);
  ASSERT_TRUE(cache.allocate(3));  // evicts the unit that was dropped first
  EXPECT_EQ(cache.acquire(22), KvCache::kNoUnit);
  EXPECT_EQ(cache.acquire(11), first);
  EXPECT_EQ(cache.free_blocks(), 1);
  EXPECT_FALSE(cache.allocate(2));
}

// Against a plain model: units by hash, how often each is in use, order of their last use.
RC_GTEST_PROP(KvCache, AgreesWithAPlainModel, ()) {
  constexpr std::int64_t kTotal = 40;
  KvCache cache(kTotal, 1, 2);
  std::map<std::uint64_t, KvCache::Unit> known;
  std::multiset<std::uint64_t> used;
  std::int64_t plain = 0;
  for (int step = 0; step < 400; ++step) {
    const std::uint64_t hash = *rc::gen::inRange<std::uint64_t>(0, 30);
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        const auto unit = cache.acquire(hash);
        if (unit != KvCache::kNoUnit) {
          RC_ASSERT(known.at(hash) == unit);
          used.insert(hash);
        } else {
          RC_ASSERT(used.count(hash) == 0);
        }
        break;
      }
      case 1:
        if (cache.allocate(2)) {
          const auto unit = cache.publish(hash);
          if (unit == KvCache::kNoUnit) {
            cache.release(2);
          } else {
            known[hash] = unit;
            used.insert(hash);
          }
        }
        break;
      case 2:
        if (const auto it = used.find(hash); it != used.end()) {
          cache.drop(known.at(hash));
          used.erase(it);
        }
        break;
      default:
        if (plain == 0 && cache.allocate(5)) {
          plain = 5;
        } else if (plain > 0) {
          cache.release(plain);
          plain = 0;
        }
    }
    const std::set<std::uint64_t> distinct(used.begin(), used.end());
    RC_ASSERT(cache.used_blocks() == plain + 2 * std::int64_t(distinct.size()));
  }
}

}  // namespace
}  // namespace warploom
