#include "warploom/serving/cuda_graph.h"

#include <algorithm>

namespace warploom {

std::vector<std::int64_t> cuda_graph_sizes(std::int64_t max_num_seqs, bool enforce_eager) {
  std::vector<std::int64_t> sizes;
  if (enforce_eager) return sizes;
  constexpr std::int64_t kLargest = 512;
  const std::int64_t largest = std::min(2 * max_num_seqs, kLargest);
  for (const std::int64_t size : {1, 2, 4}) {
    if (size <= largest) sizes.push_back(size);
  }
  for (std::int64_t size = 8; size < 256 && size <= largest; size += 8) sizes.push_back(size);
  for (std::int64_t size = 256; size <= largest; size += 16) sizes.push_back(size);
  return sizes;
}

std::int64_t padded_tokens(const std::vector<std::int64_t>& sizes, std::int64_t tokens) {
  const auto found = std::lower_bound(sizes.begin(), sizes.end(), tokens);
  return found == sizes.end() ? tokens : *found;
}

}  // namespace warploom
