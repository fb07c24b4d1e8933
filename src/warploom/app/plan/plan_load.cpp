#include "warploom/app/plan/plan_load.h"

#include <algorithm>
#include <cmath>

#include "warploom/app/plan/configured_setups.h"

namespace warploom {
namespace {

WorkloadRequestSource grown(WorkloadRequestSource source, double growth) {
  const auto scale = [&](std::optional<std::int64_t>& count) {
    if (count) count = std::max<std::int64_t>(1, std::llround(double(*count) * growth));
  };
  if (source.rate) *source.rate *= growth;
  if (source.request_rate) *source.request_rate *= growth;
  if (source.sessions) source.sessions->rate *= growth;
  scale(source.concurrency);
  scale(source.max_concurrency);
  return source;
}

// A workload whose lengths are known and whose rate is to be found: any rate will do.
WorkloadRequestSource with_some_rate(WorkloadRequestSource source) {
  const bool timed =
      source.rate || source.request_rate || source.concurrency || source.max_concurrency || source.sessions;
  if (!timed) source.rate = 1;
  return source;
}

// Draws come near the rate that was asked; a fleet is bought for that rate itself.
Workload at_rate(Workload workload, std::optional<double> rate) {
  if (rate && std::isfinite(*rate) && !workload.concurrency && arrival_rate(workload) > 0)
    rescale_arrivals(workload, *rate);
  return workload;
}

std::optional<double> asked_rate(const WorkloadRequestSource& source) {
  if (source.sessions) return source.sessions->rate;
  return source.request_rate ? source.request_rate : source.rate;
}

}  // namespace

Workload plan_workload(const PlanRequest& request, std::optional<std::int64_t> requests, double rate,
                       double per_arrival) {
  WorkloadRequestSource source = request.find_max_rate ? with_some_rate(request.source) : request.source;
  if (requests) source.requests = requests;
  if (rate > 0) return at_rate(open_workload(source_at(source, rate / per_arrival)), rate / per_arrival);
  const WorkloadRequestSource own = grown(source, request.growth);
  Workload workload = at_rate(open_workload(own), asked_rate(own));
  // A trace's own times, as it was recorded.
  const bool own_times = !source.rate && !source.request_rate && !source.sessions && !workload.concurrency;
  if (own_times && request.growth != 1 && arrival_rate(workload) > 0)
    rescale_arrivals(workload, arrival_rate(workload) * request.growth);
  return workload;
}

bool is_drawn(const PlanRequest& request, const Workload& workload) {
  const bool drafts = std::any_of(request.space.speculations.begin(), request.space.speculations.end(),
                                  [](const std::string& each) { return each != "none"; });
  if (drafts || request.source.random || !request.source.workload.empty()) return true;
  PlanRequest other = request;
  ++other.source.seed;
  const Workload next = plan_workload(other);
  const auto same = [](const WorkloadRequest& a, const WorkloadRequest& b) {
    return a.arrival == b.arrival && a.input_tokens == b.input_tokens && a.output_tokens == b.output_tokens;
  };
  return !std::equal(workload.requests.begin(), workload.requests.end(), next.requests.begin(),
                     next.requests.end(), same);
}

LoadProfile plan_profile(const PlanRequest& request, const Workload& workload, bool cached) {
  LoadProfile profile = profile_of(workload, cached);
  const bool follows = std::any_of(workload.requests.begin(), workload.requests.end(),
                                   [](const WorkloadRequest& each) { return each.after >= 0; });
  profile.drawn = (request.source.random || !request.source.workload.empty()) && !follows;
  profile.open_ended = profile.drawn && !request.source.requests && !request.autoscaling.on();
  return profile;
}

}  // namespace warploom
