#include "warploom/serving/kv/shared_store.h"

namespace warploom {

bool SharedStore::find(std::uint64_t hash, SimTime now) {
  const auto found = places_.find(hash);
  if (found == places_.end() || found->second->readable > now) return false;
  order_.splice(order_.end(), order_, found->second);
  return true;
}

bool SharedStore::touch(std::uint64_t hash) {
  const auto found = places_.find(hash);
  if (found == places_.end()) return false;
  order_.splice(order_.end(), order_, found->second);
  return true;
}

void SharedStore::add(std::uint64_t hash, std::uint32_t writer, SimTime readable) {
  if (capacity_ <= 0) return;
  if (size() >= capacity_) {
    places_.erase(order_.front().hash);
    order_.pop_front();
    ++evicted_;
  }
  places_[hash] = order_.insert(order_.end(), {hash, writer, readable});
  ++added_;
}

void SharedStore::drop_unwritten(std::uint32_t writer, SimTime now) {
  for (auto entry = order_.begin(); entry != order_.end();) {
    if (entry->writer != writer || entry->readable <= now) {
      ++entry;
      continue;
    }
    places_.erase(entry->hash);
    entry = order_.erase(entry);
    ++dropped_;
  }
}

}  // namespace warploom
