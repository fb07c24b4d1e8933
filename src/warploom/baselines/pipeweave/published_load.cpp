#include "warploom/baselines/pipeweave/published_load.h"

#include <algorithm>

#include "warploom/baselines/pipeweave/published_pipes.h"

namespace warploom::published {

Load& Load::operator+=(const Load& other) {
  tensor += other.tensor;
  special += other.special;
  bytes += other.bytes;
  return *this;
}

Features features_of(const Load& total, const Load& busiest, const Hardware& gpu) {
  Features result;
  result.tensor = pipe(total.tensor, busiest.tensor, gpu.tensor_half, gpu);
  result.special = pipe(total.special, busiest.special, gpu.special_lanes, gpu);
  result.memory = memory(total.bytes, busiest.bytes, gpu);
  return result;
}

Load busiest_of(std::span<const Load> sms) {
  Load most;
  for (const Load& sm : sms) {
    most.tensor = std::max(most.tensor, sm.tensor);
    most.special = std::max(most.special, sm.special);
    most.bytes = std::max(most.bytes, sm.bytes);
  }
  return most;
}

Load tile_load(double rows, double keys, double width, double steps) {
  return {.tensor = 4 * rows * keys * width * steps,
          .special = rows * keys + (steps - 1) * rows * (4 + keys) + 8 * rows,
          .bytes = double(kAttentionBytes) * width * (rows + steps * keys)};
}

void check_attention(std::span<const Request> requests, std::int64_t heads, std::int64_t head_dim) {
  check_positive(std::int64_t(requests.size()), "the number of requests");
  check_positive(heads, "heads");
  check_positive(head_dim, "head_dim");
  for (const Request& request : requests) {
    check_positive(request.query_tokens, "query tokens");
    check_positive(request.kv_tokens, "kv tokens");
  }
}

}  // namespace warploom::published
