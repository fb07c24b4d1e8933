#include "warploom/app/runs/measured_metrics.h"

#include <algorithm>
#include <utility>

namespace warploom {

ServingMetrics measured_metrics(const std::vector<RealRequest>& requests) {
  ServingMetrics metrics;
  std::vector<double> ttft, tpot, e2el;
  double first = requests.front().queued, last = 0;
  for (const RealRequest& request : requests) {
    ttft.push_back(request.first_token - request.queued);
    e2el.push_back(request.last_token - request.queued);
    if (request.output_tokens > 1)
      tpot.push_back((request.last_token - request.first_token) / double(request.output_tokens - 1));
    first = std::min(first, request.queued);
    last = std::max(last, request.last_token);
    metrics.total_input_tokens += request.input_tokens;
    metrics.total_output_tokens += request.output_tokens;
  }
  metrics.completed = std::int64_t(requests.size());
  metrics.ttft = summarize(std::move(ttft));
  metrics.tpot = summarize(std::move(tpot));
  metrics.e2el = summarize(std::move(e2el));
  if (last <= first) return metrics;
  metrics.duration = Seconds(last - first);
  metrics.request_throughput = double(metrics.completed) / (last - first);
  metrics.output_throughput = double(metrics.total_output_tokens) / (last - first);
  metrics.total_token_throughput =
      metrics.output_throughput + double(metrics.total_input_tokens) / (last - first);
  return metrics;
}

}  // namespace warploom
