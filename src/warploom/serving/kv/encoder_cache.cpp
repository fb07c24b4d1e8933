#include "warploom/serving/kv/encoder_cache.h"

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {

bool EncoderCache::hold(std::uint32_t image, std::uint32_t request) {
  const auto found = entries_.find(image);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  if (entry.holders.empty()) {
    idle_.erase(entry.place);
    held_ += entry.tokens;
  }
  if (std::find(entry.holders.begin(), entry.holders.end(), request) == entry.holders.end())
    entry.holders.push_back(request);
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

void EncoderCache::add(std::uint32_t image, std::uint32_t request, std::int64_t tokens) {
  const bool added = entries_.emplace(image, Entry{.tokens = tokens, .holders = {request}}).second;
  WARPLOOM_ASSERT(added && kept_ + tokens <= capacity_);
  held_ += tokens;
  kept_ += tokens;
}

void EncoderCache::let_go(std::uint32_t image, std::uint32_t request) {
  const auto found = entries_.find(image);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (std::erase(entry.holders, request) == 0 || !entry.holders.empty()) return;
  entry.place = idle_.insert(idle_.end(), image);
  held_ -= entry.tokens;
}

bool EncoderCache::forget(std::uint32_t image, std::uint32_t request) {
  const auto found = entries_.find(image);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  if (std::erase(entry.holders, request) == 0)
    idle_.erase(entry.place);
  else if (!entry.holders.empty())
    return false;
  else
    held_ -= entry.tokens;
  kept_ -= entry.tokens;
  entries_.erase(found);
  return true;
}

}  // namespace warploom
