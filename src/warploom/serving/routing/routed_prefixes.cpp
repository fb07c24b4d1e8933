#include "warploom/serving/routing/routed_prefixes.h"

#include <algorithm>

namespace warploom {

std::size_t RoutedPrefixes::known(std::size_t replica, std::span<const std::uint64_t> hashes,
                                  SimTime now) const {
  if (replica >= sent_.size()) return 0;
  const auto& sent = sent_[replica];
  const auto missing = std::find_if(hashes.begin(), hashes.end(), [&](std::uint64_t hash) {
    const auto found = sent.find(hash);
    return found == sent.end() || !is_known(found->second, now);
  });
  return std::size_t(missing - hashes.begin());
}

void RoutedPrefixes::add(std::size_t replica, std::span<const std::uint64_t> hashes, SimTime now) {
  constexpr std::size_t kSmall = 1024;
  if (replica >= sent_.size()) {
    sent_.resize(replica + 1);
    cleared_at_.resize(replica + 1, kSmall);
  }
  auto& sent = sent_[replica];
  for (const std::uint64_t hash : hashes) sent[hash] = now;
  if (sent.size() > most_) drop_older_half(replica, now);
  if (memory_ == SimDuration() || sent.size() < 2 * cleared_at_[replica]) return;
  std::erase_if(sent, [&](const auto& entry) { return !is_known(entry.second, now); });
  cleared_at_[replica] = std::max(kSmall, sent.size());
}

// Units sent at one moment go together, so that the order of the table does not show.
void RoutedPrefixes::drop_older_half(std::size_t replica, SimTime now) {
  auto& sent = sent_[replica];
  std::vector<SimTime> times;
  times.reserve(sent.size());
  for (const auto& entry : sent) times.push_back(entry.second);
  const auto middle = times.begin() + std::ptrdiff_t(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  std::erase_if(sent, [&](const auto& entry) { return entry.second <= *middle && entry.second < now; });
}

void RoutedPrefixes::forget(std::size_t replica) {
  if (replica < sent_.size()) sent_[replica].clear();
}

}  // namespace warploom
