#include "warploom/serving/pricing/cuda_graph.h"

#include <algorithm>

namespace warploom {

std::vector<std::int64_t> graph_sizes_by_rule(const GraphSizes& rule, std::int64_t largest) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : rule.few) {
    if (size <= largest) sizes.push_back(size);
  }
  for (std::size_t i = 0; i < rule.stretches.size(); ++i) {
    const auto& [from, step] = rule.stretches[i];
    const std::int64_t end = i + 1 < rule.stretches.size() ? rule.stretches[i + 1].from : largest + 1;
    for (std::int64_t size = from; size < end && size <= largest; size += step > 0 ? step : size)
      sizes.push_back(size);
  }
  // Engines that double their sizes capture the largest besides.
  if (!sizes.empty() && sizes.back() < largest && rule.stretches.back().step == 0) sizes.push_back(largest);
  return sizes;
}

std::vector<std::int64_t> cuda_graph_sizes(std::int64_t max_num_seqs, bool enforce_eager,
                                           std::int64_t query_tokens,
                                           std::optional<std::int64_t> largest_size, const GraphSizes& rule,
                                           const std::vector<std::int64_t>& listed) {
  if (enforce_eager) return {};
  const std::int64_t by_rule =
      rule.at_most_sequences ? std::min(2 * max_num_seqs * query_tokens, rule.largest) : rule.largest;
  const std::int64_t largest =
      largest_size.value_or(listed.empty() ? by_rule : *std::max_element(listed.begin(), listed.end()));
  std::vector<std::int64_t> sizes = listed.empty() ? graph_sizes_by_rule(rule, largest) : listed;
  if (query_tokens > 1)
    for (std::int64_t& size : sizes) size = (size + query_tokens - 1) / query_tokens * query_tokens;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase_if(sizes, [&](std::int64_t size) { return size > largest; });
  if (sizes.empty() && query_tokens > 1 && query_tokens <= largest) sizes.push_back(query_tokens);
  return sizes;
}

std::int64_t padded_tokens(const std::vector<std::int64_t>& sizes, std::int64_t tokens) {
  const auto found = std::lower_bound(sizes.begin(), sizes.end(), tokens);
  return found == sizes.end() ? tokens : *found;
}

}  // namespace warploom
