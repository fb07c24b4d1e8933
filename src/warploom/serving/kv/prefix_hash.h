// Hashes of ever longer prefixes of a prompt, unit by unit: equal hashes mean equal prefixes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warploom/serving/workload/workload.h"

namespace warploom {

// Walks the contents once, so that all hashes of a prompt cost O(units + segments). Each is worked out from
// what came before its stretch and from where in it the unit ends, not from the unit before: the processor
// works at several at a time.
class PrefixHasher {
 public:
  PrefixHasher() = default;
  // The contents must outlive the hasher; unit_tokens >= 1.
  PrefixHasher(std::span<const ContentSegment> content, std::int64_t unit_tokens);

  // The hashes up to the ends of the next units. The last segment goes on for ever: outputs continue it.
  void next(std::span<std::uint64_t> hashes);

 private:
  std::int64_t segment_end() const;

  std::span<const ContentSegment> content_;
  std::int64_t unit_tokens_ = 1;
  std::size_t segment_ = 0;
  std::int64_t segment_begin_ = 0;  // token at which the segment begins
  std::int64_t begin_ = 0;          // token at which the next unit begins
  std::uint64_t hash_ = 0;          // of all up to the end of the latest unit or segment
  std::uint64_t segment_hash_ = 0;  // of all before the segment, and its content
};

// Units of a prompt's first stretch, as of a system prompt: what a cache probably holds that has seen other
// prompts alone.
inline std::size_t units_of_first_stretch(std::span<const ContentSegment> content, std::int64_t unit_tokens) {
  return content.empty() ? 0 : std::size_t(content.front().tokens / unit_tokens);
}

}  // namespace warploom
