#include "warploom/serving/kv/encoder_cache.h"

#include "warploom/base/error.h"

namespace warploom {

bool EncoderCache::hold(std::uint64_t key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  if (!entry.held) {
    idle_.erase(entry.place);
    entry.held = true;
    held_ += entry.tokens;
  }
  return true;
}

bool EncoderCache::make_room(std::int64_t tokens) {
  if (held_ + tokens > capacity_) return false;
  while (kept_ + tokens > capacity_) {
    const auto oldest = entries_.find(idle_.front());
    kept_ -= oldest->second.tokens;
    entries_.erase(oldest);
    idle_.pop_front();
  }
  return true;
}

void EncoderCache::add(std::uint64_t key, std::int64_t tokens) {
  const bool added = entries_.emplace(key, Entry{.tokens = tokens}).second;
  WARPLOOM_ASSERT(added && kept_ + tokens <= capacity_);
  held_ += tokens;
  kept_ += tokens;
}

void EncoderCache::let_go(std::uint64_t key) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.held) return;
  Entry& entry = found->second;
  entry.held = false;
  entry.place = idle_.insert(idle_.end(), key);
  held_ -= entry.tokens;
}

void EncoderCache::forget(std::uint64_t key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second.held)
    held_ -= found->second.tokens;
  else
    idle_.erase(found->second.place);
  kept_ -= found->second.tokens;
  entries_.erase(found);
}

}  // namespace warploom
