#include "warploom/models/request_split.h"

#include <algorithm>

namespace warploom {

void split_into_chunks(const std::vector<RequestGroup>& groups, std::int64_t chunk,
                       std::vector<RequestGroup>& result) {
  result.clear();
  for (const RequestGroup& group : groups) {
    std::int64_t position = group.context_tokens;
    std::int64_t left = group.query_tokens;
    while (left > 0) {
      const std::int64_t context = position % chunk;
      const std::int64_t taken = std::min(left, chunk - context);
      result.push_back({group.count, taken, context});
      position += taken;
      left -= taken;
    }
  }
}

}  // namespace warploom
