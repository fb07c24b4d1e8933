#include "warploom/serving/kv/kv_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <vector>

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

// Prompts of which some begin alike: unit `unit` of prompt `prompt`.
std::uint64_t unit_hash(std::uint64_t prompt, std::size_t unit) {
  const std::uint64_t begins_alike = unit < 40 ? 0 : (unit < 70 ? prompt / 2 + 1 : prompt + 10);
  return begins_alike * 1000 + unit + 1;
}

// A request that computes a prompt, uses what is kept of it and keeps what it has computed.
struct PrefixUser {
  std::uint64_t prompt = 0;
  std::vector<std::uint64_t> hashes;
  std::vector<KvCache::Unit> units;
  std::size_t computed = 0;
  std::int64_t own_blocks = 0;  // of units that another had kept first

  PrefixUser(std::uint64_t number, KvCache& cache) : prompt(number) {
    for (std::size_t i = 0; i < 100; ++i) hashes.push_back(unit_hash(prompt, i));
    computed = cache.leading(hashes);
    cache.acquire_all(std::span<const std::uint64_t>(hashes).first(computed), units);
    for (std::size_t i = 0; i < computed; ++i) RC_ASSERT(cache.find(hashes[i]) == units[i]);
  }
  bool compute(KvCache& cache, std::size_t count) {
    for (const std::size_t end = std::min(computed + count, hashes.size()); computed < end; ++computed) {
      if (!cache.allocate(1)) return false;
      const KvCache::Unit latest = units.empty() ? KvCache::kNoUnit : units.back();
      const KvCache::Unit unit = computed == 0
                                     ? cache.publish(hashes[0])
                                     : cache.publish_after(hashes[computed - 1], latest, hashes[computed]);
      if (unit == KvCache::kNoUnit)
        ++own_blocks;
      else
        units.push_back(unit);
    }
    return true;
  }
  void end(KvCache& cache) {
    cache.drop_all(units);
    cache.release(own_blocks);
  }
};

// Whatever was evicted, and whoever computed the same twice: what is found by leaps is what a walk finds.
RC_GTEST_PROP(KvCache, LeapsFindWhatAWalkFinds, ()) {
  KvCache cache(*rc::gen::inRange<std::int64_t>(60, 400), 1, 1);
  std::vector<PrefixUser> users;
  for (int step = 0; step < 60; ++step) {
    const std::size_t at = users.empty() ? 0 : *rc::gen::inRange<std::size_t>(0, users.size());
    const int action = *rc::gen::inRange(0, 4);
    if (users.empty() || (action == 0 && users.size() < 6)) {
      users.emplace_back(*rc::gen::inRange<std::uint64_t>(0, 4), cache);
    } else if (action < 3) {
      users[at].compute(cache, *rc::gen::inRange<std::size_t>(1, 60));
    } else {
      users[at].end(cache);
      users.erase(users.begin() + std::ptrdiff_t(at));
    }
    for (std::uint64_t prompt = 0; prompt < 4; ++prompt) {
      std::vector<std::uint64_t> hashes;
      for (std::size_t i = 0; i < 100; ++i) hashes.push_back(unit_hash(prompt, i));
      std::size_t kept = 0, in_use = 0;
      while (kept < hashes.size() && cache.find(hashes[kept]) != KvCache::kNoUnit) ++kept;
      while (in_use < kept && !cache.idle(cache.find(hashes[in_use]))) ++in_use;
      std::int64_t idle = 0;
      for (std::size_t i = 0; i < kept; ++i) idle += cache.idle(cache.find(hashes[i])) ? 1 : 0;
      const auto found = std::span<const std::uint64_t>(hashes).first(kept);
      const auto guess = *rc::gen::inRange<std::size_t>(0, 120);
      RC_ASSERT(cache.leading(hashes, guess) == kept);
      RC_ASSERT(cache.leading_in_use(found, guess) == in_use);
      RC_ASSERT(cache.idle_among(found, guess) == idle);
    }
  }
}

}  // namespace
}  // namespace warploom
