#include "warploom/serving/workload/length_limit.h"

#include <algorithm>

namespace warploom {

std::optional<LimitedWorkload> limit_lengths(const Workload& workload, std::int64_t max_model_len) {
  const auto too_long = [&](const WorkloadRequest& request) {
    return std::int64_t(request.input_tokens) + request.output_tokens > max_model_len;
  };
  if (std::none_of(workload.requests.begin(), workload.requests.end(), too_long)) return std::nullopt;
  LimitedWorkload limited{.workload = workload};
  for (WorkloadRequest& request : limited.workload.requests) {
    if (!too_long(request)) continue;
    if (request.input_tokens >= max_model_len) {
      request.rejected = true;
      ++limited.rejected;
    } else {
      request.output_tokens = std::int32_t(max_model_len - request.input_tokens);
      ++limited.cut;
    }
  }
  return limited;
}

}  // namespace warploom
