// How many proposed tokens a step accepts: a draw for each request and position of its output, so that a run
// does not depend on the order in which requests are served.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {

// Sums over verifying steps.
struct SpeculationCounts {
  std::int64_t drafts = 0;                // verified proposals, one for each request and step
  std::int64_t draft_tokens = 0;          // proposed
  std::int64_t accepted_tokens = 0;       // of those
  std::vector<std::int64_t> accepted_at;  // proposals of which position i was accepted

  void add(std::int64_t proposed, std::int64_t accepted);
  SpeculationCounts& operator+=(const SpeculationCounts& other);
};

class DraftAcceptance {
 public:
  // Proposes nothing.
  DraftAcceptance() = default;
  DraftAcceptance(const SpeculativeConfig& config, std::uint64_t seed);

  // Tokens beside the sure one that are verified for this request when `output` of its tokens are known; at
  // most `most`.
  std::int64_t proposed(std::uint32_t request, std::int32_t output, std::int64_t most) const {
    if (verified_ == 0 || most <= 0) return 0;
    return draw(request, output, most);
  }
  // Those of `proposed` that are accepted.
  std::int64_t accepted(std::uint32_t request, std::int32_t output, std::int64_t proposed) const;
  // The most that proposed() gives.
  std::int64_t most_proposed() const { return verified_; }
  // Tokens whose keys and values the drafter writes ahead into the same blocks.
  std::int64_t lookahead() const { return lookahead_; }

 private:
  std::int64_t draw(std::uint32_t request, std::int32_t output, std::int64_t most) const;
  double uniform(std::uint32_t request, std::int32_t output, std::uint64_t stream) const;

  std::int64_t verified_ = 0, lookahead_ = 0;
  double proposal_rate_ = 1;
  std::uint64_t seed_ = 0;
  std::vector<double> acceptance_;
};

}  // namespace warploom
