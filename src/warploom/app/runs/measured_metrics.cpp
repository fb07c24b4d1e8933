#include "warploom/app/runs/measured_metrics.h"

#include <algorithm>
#include <utility>

namespace warploom {

ServingMetrics measured_metrics(const MeasuredRequests& measured) {
  const std::vector<RealRequest>& requests = measured.requests;
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
  const double duration =
      measured.client && measured.client->duration ? *measured.client->duration : last - first;
  if (duration <= 0) return metrics;
  metrics.duration = Seconds(duration);
  metrics.request_throughput = double(metrics.completed) / duration;
  metrics.output_throughput = double(metrics.total_output_tokens) / duration;
  metrics.total_token_throughput = metrics.output_throughput + double(metrics.total_input_tokens) / duration;
  return metrics;
}

}  // namespace warploom
