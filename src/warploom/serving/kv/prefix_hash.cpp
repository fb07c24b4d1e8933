#include "warploom/serving/kv/prefix_hash.h"

#include <algorithm>
#include <limits>

#include "warploom/base/hash.h"

namespace warploom {
namespace {

// So many units in a row have hashes in a row, and stand beside each other in a table.
constexpr std::uint64_t kNeighbours = 4;

}  // namespace

PrefixHasher::PrefixHasher(std::span<const ContentSegment> content, std::int64_t unit_tokens)
    : content_(content), unit_tokens_(unit_tokens) {
  if (!content_.empty()) segment_hash_ = hash_combine(hash_, content_[0].content);
}

std::int64_t PrefixHasher::segment_end() const {
  const bool last = segment_ + 1 >= content_.size();
  return last ? std::numeric_limits<std::int64_t>::max() : segment_begin_ + content_[segment_].tokens;
}

void PrefixHasher::next(std::span<std::uint64_t> hashes) {
  while (!hashes.empty()) {
    const std::int64_t segment_end = this->segment_end();
    const auto units = std::min(hashes.size(), std::size_t((segment_end - begin_) / unit_tokens_));
    // How many units end in the segment before; where in the units it begins is in segment_hash_.
    auto number = std::uint64_t((begin_ - segment_begin_ + unit_tokens_) / unit_tokens_);
    for (std::uint64_t& hash : hashes.first(units)) {
      hash = (hash_combine(segment_hash_, number / kNeighbours) & ~(kNeighbours - 1)) | number % kNeighbours;
      ++number;
    }
    begin_ += std::int64_t(units) * unit_tokens_;
    if (units > 0) hash_ = hashes[units - 1];
    hashes = hashes.subspan(units);
    if (hashes.empty()) break;
    if (segment_end > begin_)
      hash_ = hash_combine(segment_hash_, ~std::uint64_t(segment_end - segment_begin_));
    segment_begin_ = segment_end;
    segment_hash_ = hash_combine(hash_, content_[++segment_].content);
  }
}

}  // namespace warploom
