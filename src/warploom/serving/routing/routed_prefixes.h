// What a router remembers of the prompts that it sent to replicas, where engines do not tell what they cache.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "warploom/serving/time/sim_time.h"

namespace warploom {

class RoutedPrefixes {
 public:
  // Units of a replica, at most, but for those of its latest prompt: 2^24 tokens in units of 16, near the
  // 2^26 characters of SGLang's router (max_tree_size).
  static constexpr std::size_t kMostUnits = std::size_t(1) << 20;
  // `memory` 0: nothing is forgotten for its age. Beyond `most` units the older half of a replica's go.
  explicit RoutedPrefixes(SimDuration memory, std::size_t most = kMostUnits) : memory_(memory), most_(most) {}

  // How many of a prompt's units, from its start, went to a replica within the memory. O(units found).
  std::size_t known(std::size_t replica, std::span<const std::uint64_t> hashes, SimTime now) const;
  // The prompt goes there now. O(units); what is forgotten is cleared as often as the memory doubles.
  void add(std::size_t replica, std::span<const std::uint64_t> hashes, SimTime now);
  void forget(std::size_t replica);

 private:
  bool is_known(SimTime sent, SimTime now) const { return memory_ == SimDuration() || now - sent <= memory_; }
  void drop_older_half(std::size_t replica, SimTime now);
  SimDuration memory_;
  std::size_t most_;
  std::vector<std::unordered_map<std::uint64_t, SimTime>> sent_;  // by replica
  std::vector<std::size_t> cleared_at_;                           // size after the latest clearing
};

}  // namespace warploom
