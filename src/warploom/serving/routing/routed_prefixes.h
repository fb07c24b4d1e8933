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
  // `memory` 0: nothing is forgotten.
  explicit RoutedPrefixes(SimDuration memory) : memory_(memory) {}

  // How many of a prompt's units, from its start, went to a replica within the memory. O(units found).
  std::size_t known(std::size_t replica, std::span<const std::uint64_t> hashes, SimTime now) const;
  // The prompt goes there now. O(units); what is forgotten is cleared as often as the memory doubles.
  void add(std::size_t replica, std::span<const std::uint64_t> hashes, SimTime now);
  void forget(std::size_t replica);

 private:
  bool is_known(SimTime sent, SimTime now) const { return memory_ == SimDuration() || now - sent <= memory_; }
  SimDuration memory_;
  std::vector<std::unordered_map<std::uint64_t, SimTime>> sent_;  // by replica
  std::vector<std::size_t> cleared_at_;                           // size after the latest clearing
};

}  // namespace warploom
