#include "warploom/planner/load_profile.h"

#include <algorithm>
#include <unordered_set>

namespace warploom {
namespace {

// Tokens of each prompt that no earlier prompt had.
std::vector<std::int32_t> fresh_tokens(const Workload& workload, bool cached) {
  std::vector<std::int32_t> fresh;
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    std::int32_t tokens = workload.requests[i].input_tokens;
    for (const ContentSegment& part : workload.content_of(i))
      if (cached && !seen.insert(part.content).second) tokens -= part.tokens;
    fresh.push_back(std::max<std::int32_t>(1, tokens));
  }
  return fresh;
}

}  // namespace

std::int32_t LoadProfile::at(const std::vector<std::int32_t>& ascending, double fraction) {
  const auto place = std::size_t(fraction * double(ascending.size() - 1));
  return ascending[std::min(place, ascending.size() - 1)];
}

LoadProfile profile_of(const Workload& workload, bool cached) {
  LoadProfile profile;
  profile.requests = std::ssize(workload.requests);
  profile.inputs = fresh_tokens(workload, cached);
  if (workload.concurrency) profile.in_flight = *workload.concurrency;
  const auto arrivals = std::count_if(workload.requests.begin(), workload.requests.end(),
                                      [](const WorkloadRequest& request) { return request.after < 0; });
  profile.per_arrival = double(profile.requests) / double(std::max<std::ptrdiff_t>(1, arrivals));
  if (!workload.concurrency && !workload.most_in_flight)
    profile.rate = arrival_rate(workload) * profile.per_arrival;
  double context = 0, held = 0;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    const WorkloadRequest& request = workload.requests[i];
    const double output = double(request.output_tokens);
    profile.mean_input += double(profile.inputs[i]);
    profile.mean_output += output;
    context += output * (double(request.input_tokens) + output / 2);
    held += output * (double(profile.inputs[i]) + output / 2);
    profile.outputs.push_back(request.output_tokens);
    profile.longest =
        std::max(profile.longest, std::int64_t(request.input_tokens) + std::int64_t(request.output_tokens));
  }
  profile.mean_context = context / profile.mean_output;
  profile.mean_held = held / profile.mean_output;
  profile.mean_input /= double(profile.requests);
  profile.mean_output /= double(profile.requests);
  std::sort(profile.inputs.begin(), profile.inputs.end());
  std::sort(profile.outputs.begin(), profile.outputs.end());
  return profile;
}

Workload first_requests(const Workload& workload, std::size_t count) {
  Workload part = workload;
  count = std::min(count, workload.requests.size());
  part.requests.resize(count);
  if (!part.content_begin.empty()) {
    part.content_begin.resize(count + 1);
    part.content.resize(part.content_begin.back());
  }
  if (!part.images_begin.empty()) {
    part.images_begin.resize(count + 1);
    part.images.resize(part.images_begin.back());
  }
  if (!part.origin.empty()) part.origin.resize(count);
  if (!part.groups.empty()) part.groups.resize(count);
  return part;
}

Workload share_of(const Workload& workload, std::size_t take, std::size_t of) {
  if (take == of) return workload;
  Workload part = workload;
  part.requests.clear();
  part.origin.clear();
  part.content.clear();
  part.content_begin.clear();
  part.images.clear();
  part.images_begin.clear();
  part.groups.clear();
  if (!workload.content_begin.empty()) part.content_begin.push_back(0);
  if (!workload.images_begin.empty()) part.images_begin.push_back(0);
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    if (i % of >= take) continue;
    part.requests.push_back(workload.requests[i]);
    part.origin.push_back(workload.origin_of(std::uint32_t(i)));
    if (!workload.groups.empty()) part.groups.push_back(workload.groups[i]);
    if (!workload.images_begin.empty()) {
      const auto images = workload.images_of(i);
      part.images.insert(part.images.end(), images.begin(), images.end());
      part.images_begin.push_back(std::uint32_t(part.images.size()));
    }
    if (workload.content_begin.empty()) continue;
    const auto content = workload.content_of(i);
    part.content.insert(part.content.end(), content.begin(), content.end());
    part.content_begin.push_back(std::uint32_t(part.content.size()));
  }
  return part;
}

}  // namespace warploom
