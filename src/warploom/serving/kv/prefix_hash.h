// Hashes of ever longer prefixes of a prompt, unit by unit: equal hashes mean equal prefixes.
#pragma once

#include <cstdint>
#include <span>

#include "warploom/serving/workload/workload.h"

namespace warploom {

// Walks the contents once, so that all hashes of a prompt cost O(units + segments).
class PrefixHasher {
 public:
  PrefixHasher() = default;
  // The contents must outlive the hasher; unit_tokens >= 1.
  PrefixHasher(std::span<const ContentSegment> content, std::int64_t unit_tokens)
      : content_(content), unit_tokens_(unit_tokens) {}

  // The hash up to the end of the next unit. The last segment goes on for ever: outputs continue it.
  std::uint64_t next();

 private:
  std::span<const ContentSegment> content_;
  std::int64_t unit_tokens_ = 1;
  std::size_t segment_ = 0;
  std::int64_t segment_begin_ = 0;  // token at which the segment begins
  std::int64_t begin_ = 0;          // token at which the next unit begins
  std::uint64_t hash_ = 0;
};

}  // namespace warploom
