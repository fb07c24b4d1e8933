#include "warploom/serving/kv/shared_store.h"

namespace warploom {

bool SharedStore::find(std::uint64_t hash, SimTime now) {
  const auto place = units_.find(hash);
  if (place == units_.kNone || units_.payload(place).readable > now) return false;
  units_.touch(place);
  return true;
}

bool SharedStore::touch(std::uint64_t hash) {
  const auto place = units_.find(hash);
  if (place == units_.kNone) return false;
  units_.touch(place);
  return true;
}

void SharedStore::add(std::uint64_t hash, std::uint32_t writer, SimTime readable) {
  if (capacity() <= 0) return;
  if (units_.full()) {
    units_.drop_oldest();
    ++evicted_;
  }
  units_.add(hash, {writer, readable});
  ++added_;
}

void SharedStore::drop_unwritten(std::uint32_t writer, SimTime now) {
  dropped_ +=
      units_.drop_if([&](const Written& each) { return each.writer == writer && each.readable > now; });
}

}  // namespace warploom
