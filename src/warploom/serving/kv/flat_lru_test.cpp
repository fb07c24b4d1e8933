#include "warploom/serving/kv/flat_lru.h"

#include <gtest/gtest.h>

#include <list>
#include <unordered_map>

#include "warploom/base/random.h"

namespace warploom {
namespace {

// The same by a list and a map.
class ListedLru {
 public:
  explicit ListedLru(std::int64_t capacity) : capacity_(capacity) {}
  bool touch(std::uint64_t hash) {
    const auto found = places_.find(hash);
    if (found == places_.end()) return false;
    order_.splice(order_.end(), order_, found->second);
    return true;
  }
  std::int64_t size() const { return std::int64_t(places_.size()); }
  void add(std::uint64_t hash, int payload) {
    if (size() >= capacity_) {
      places_.erase(order_.front().first);
      order_.pop_front();
    }
    places_[hash] = order_.insert(order_.end(), {hash, payload});
  }
  std::int64_t drop_if(int payload) {
    std::int64_t dropped = 0;
    for (auto entry = order_.begin(); entry != order_.end();) {
      if (entry->second != payload) {
        ++entry;
        continue;
      }
      places_.erase(entry->first);
      entry = order_.erase(entry);
      ++dropped;
    }
    return dropped;
  }

 private:
  std::int64_t capacity_;
  std::list<std::pair<std::uint64_t, int>> order_;
  std::unordered_map<std::uint64_t, std::list<std::pair<std::uint64_t, int>>::iterator> places_;
};

// Few hashes, whose low bits collide, so that entries move up in the table when others go.
TEST(FlatLru, IsAListAndAMap) {
  for (const std::int64_t capacity : {1, 7, 64, 300}) {
    FlatLru<int> flat(capacity);
    ListedLru listed(capacity);
    RandomStream draws(std::uint64_t(capacity), "flat_lru");
    for (int i = 0; i < 40'000; ++i) {
      const std::uint64_t kind = draws.next() % 8, key = draws.next() % 500;
      const std::uint64_t hash = (key % 20) | (key / 20) << 32;
      const int payload = int(draws.next() % 5);
      if (i % 5'000 == 4'999) {
        EXPECT_EQ(flat.drop_if([&](int each) { return each == payload; }), listed.drop_if(payload));
      } else if (const auto place = flat.find(hash); kind < 5 || place != FlatLru<int>::kNone) {
        ASSERT_EQ(place != FlatLru<int>::kNone, listed.touch(hash));
        if (place != FlatLru<int>::kNone) flat.touch(place);
      } else {
        if (flat.full()) flat.drop_oldest();
        flat.add(hash, payload);
        listed.add(hash, payload);
      }
      ASSERT_EQ(flat.size(), listed.size());
    }
  }
}

TEST(FlatLru, ForgetsWhatWasUsedLongestAgo) {
  FlatLru<int> lru(2);
  lru.add(1, 10);
  lru.add(2, 20);
  lru.touch(lru.find(1));
  lru.drop_oldest();
  EXPECT_FALSE(lru.holds(2));
  EXPECT_EQ(lru.payload(lru.find(1)), 10);
}

}  // namespace
}  // namespace warploom
