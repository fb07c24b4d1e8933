#include "warploom/serving/pricing/cuda_graph.h"

#include <algorithm>

namespace warploom {

std::vector<std::int64_t> cuda_graph_sizes(std::int64_t max_num_seqs, bool enforce_eager,
                                           std::int64_t query_tokens,
                                           std::optional<std::int64_t> largest_size) {
  std::vector<std::int64_t> sizes;
  if (enforce_eager) return sizes;
  constexpr std::int64_t kLargest = 512;
  const std::int64_t largest = largest_size.value_or(std::min(2 * max_num_seqs * query_tokens, kLargest));
  for (const std::int64_t size : {1, 2, 4}) {
    if (size <= largest) sizes.push_back(size);
  }
  for (std::int64_t size = 8; size < 256 && size <= largest; size += 8) sizes.push_back(size);
  for (std::int64_t size = 256; size <= largest; size += 16) sizes.push_back(size);
  if (query_tokens == 1) return sizes;
  for (std::int64_t& size : sizes) size = (size + query_tokens - 1) / query_tokens * query_tokens;
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase_if(sizes, [&](std::int64_t size) { return size > largest; });
  if (sizes.empty() && query_tokens <= largest) sizes.push_back(query_tokens);
  return sizes;
}

std::int64_t padded_tokens(const std::vector<std::int64_t>& sizes, std::int64_t tokens) {
  const auto found = std::lower_bound(sizes.begin(), sizes.end(), tokens);
  return found == sizes.end() ? tokens : *found;
}

}  // namespace warploom
