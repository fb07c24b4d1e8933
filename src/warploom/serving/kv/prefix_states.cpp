#include "warploom/serving/kv/prefix_states.h"

#include "warploom/base/divide_up.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

constexpr std::uint64_t kStateSalt = 0x5354415445;

// A state lies in as many units of the cache as its blocks fill.
std::int64_t units_of_state(const KvCache& cache) {
  return divide_up(cache.layout().kept_state, cache.unit_blocks());
}

std::uint64_t part_of(std::uint64_t hash, std::int64_t part) {
  return hash_combine(hash, kStateSalt + std::uint64_t(part));
}

void use(KvCache& cache, std::uint64_t hash) { cache.drop(cache.acquire(hash)); }

}  // namespace

bool PrefixStates::find(KvCache& cache, std::uint64_t hash) {
  if (pool_) {
    const auto place = pool_->find(hash);
    if (place == FlatLru<Nothing>::kNone) return false;
    pool_->touch(place);
    return true;
  }
  const std::int64_t units = units_of_state(cache);
  for (std::int64_t i = 0; i < units; ++i)
    if (cache.find(part_of(hash, i)) == KvCache::kNoUnit) return false;
  for (std::int64_t i = 0; i < units; ++i) use(cache, part_of(hash, i));
  return true;
}

void PrefixStates::keep_in_pool(std::uint64_t hash, std::int64_t running) {
  const std::int64_t room = pool_->capacity() - held_ * running;
  if (const auto place = pool_->find(hash); place != FlatLru<Nothing>::kNone) return pool_->touch(place);
  while (pool_->size() > 0 && pool_->size() >= room) pool_->drop_oldest();
  if (room > 0) pool_->add(hash, {});
}

void PrefixStates::keep(KvCache& cache, std::uint64_t hash, std::int64_t running) {
  if (pool_) return keep_in_pool(hash, running);
  const std::int64_t units = units_of_state(cache);
  for (std::int64_t i = 0; i < units; ++i) {
    const std::uint64_t part = part_of(hash, i);
    if (cache.find(part) != KvCache::kNoUnit)
      use(cache, part);
    else if (cache.allocate(cache.unit_blocks()))
      cache.drop(cache.publish(part));
  }
}

}  // namespace warploom
