#include "warploom/serving/workload/length_limit.h"

#include <algorithm>

namespace warploom {

std::optional<LimitedWorkload> limit_lengths(const Workload& workload, const LengthLimits& limits) {
  // What an output may have; 0: the prompt alone is too long.
  const auto room = [&](const WorkloadRequest& request) {
    std::int64_t output = request.output_tokens;
    if (limits.max_model_len > 0) output = std::min(output, limits.max_model_len - request.input_tokens);
    const std::int64_t at_once = request.input_tokens + (limits.recomputes ? output : 0);
    return output < 1 || (limits.step > 0 && at_once > limits.step) ? 0 : output;
  };
  const auto fits = [&](const WorkloadRequest& request) { return room(request) == request.output_tokens; };
  if (std::all_of(workload.requests.begin(), workload.requests.end(), fits)) return std::nullopt;
  LimitedWorkload limited{.workload = workload};
  for (WorkloadRequest& request : limited.workload.requests) {
    const std::int64_t output = room(request);
    if (output == request.output_tokens) continue;
    if (output == 0) {
      request.rejected = true;
      ++limited.rejected;
    } else {
      request.output_tokens = std::int32_t(output);
      // Cut within its thoughts it gives no answer but its last token.
      request.thinking_tokens = std::min(request.thinking_tokens, request.output_tokens - 1);
      ++limited.cut;
    }
  }
  return limited;
}

}  // namespace warploom
