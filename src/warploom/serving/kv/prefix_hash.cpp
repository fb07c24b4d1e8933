#include "warploom/serving/kv/prefix_hash.h"

#include <algorithm>
#include <limits>

#include "warploom/base/hash.h"

namespace warploom {

std::uint64_t PrefixHasher::next() {
  const std::int64_t end = begin_ + unit_tokens_;
  while (segment_ < content_.size()) {
    const ContentSegment& segment = content_[segment_];
    const bool last = segment_ + 1 == content_.size();
    const std::int64_t segment_end =
        last ? std::numeric_limits<std::int64_t>::max() : segment_begin_ + segment.tokens;
    if (segment_end > begin_) {
      const std::int64_t from = std::max(begin_, segment_begin_) - segment_begin_;
      const std::int64_t to = std::min(end, segment_end) - segment_begin_;
      hash_ =
          hash_combine(hash_combine(hash_, segment.content), std::uint64_t(from) << 32 | std::uint64_t(to));
    }
    if (segment_end > end) break;
    segment_begin_ = segment_end;
    ++segment_;
    if (segment_end == end) break;
  }
  begin_ = end;
  return hash_;
}

}  // namespace warploom
