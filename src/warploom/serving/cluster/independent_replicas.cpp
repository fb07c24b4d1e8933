#include "warploom/serving/cluster/independent_replicas.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/serving/cluster/run.h"
#include "warploom/serving/thinking_totals.h"

namespace warploom {
namespace {

// The requests of one instance and where they stand in the whole workload.
struct Part {
  std::size_t instance = 0;
  Workload workload;
  std::vector<std::uint32_t> requests;
  SimulationResult result;
  RunDetails details;
};

std::vector<Part> split(const Workload& workload, std::size_t instances, std::size_t group_size) {
  std::vector<Part> parts(instances);
  for (Part& part : parts) {
    part.instance = std::size_t(&part - parts.data());
    part.workload.name = workload.name;
    part.workload.image_shapes = workload.image_shapes;
  }
  std::size_t turn = 0;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    Part& part = parts[turn % (instances * group_size) / group_size];
    if (!workload.requests[i].rejected) ++turn;
    part.requests.push_back(std::uint32_t(i));
    part.workload.origin.push_back(std::uint32_t(i));
    part.workload.requests.push_back(workload.requests[i]);
    if (!workload.images.empty()) {
      const auto images = workload.images_of(i);
      if (part.workload.images_begin.empty()) part.workload.images_begin.push_back(0);
      part.workload.images.insert(part.workload.images.end(), images.begin(), images.end());
      part.workload.images_begin.push_back(std::uint32_t(part.workload.images.size()));
    }
    if (workload.content_begin.empty()) continue;
    const auto content = workload.content_of(i);
    if (part.workload.content_begin.empty()) part.workload.content_begin.push_back(0);
    part.workload.content.insert(part.workload.content.end(), content.begin(), content.end());
    part.workload.content_begin.push_back(std::uint32_t(part.workload.content.size()));
  }
  std::erase_if(parts, [](const Part& part) { return part.requests.empty(); });
  return parts;
}

void run_parts(std::vector<Part>& parts, const Deployment& one, const SimulationOptions& options,
               std::int64_t total) {
  std::mutex reporting;
  std::vector<std::int64_t> completed(parts.size(), 0);
  parallel_for(parts.size(), options.threads, [&](std::size_t i) {
    SimulationOptions own = options;
    if (options.on_progress) {
      own.on_progress = [&, i](const SimulationProgress& progress) {
        const std::scoped_lock lock(reporting);
        completed[i] = progress.completed;
        std::int64_t sum = 0;
        for (const std::int64_t count : completed) sum += count;
        options.on_progress({sum, total, progress.now});
      };
    }
    Run run(one, parts[i].workload, own);
    parts[i].result = run.result();
    parts[i].details = run.details();
  });
}

// Each part's latest sample at evenly spaced times, summed.
std::vector<TimelineSample> joined_timeline(const std::vector<Part>& parts, std::size_t samples,
                                            SimTime end) {
  std::vector<TimelineSample> joined;
  std::vector<std::size_t> at(parts.size(), 0);
  for (std::size_t s = 0; s < samples; ++s) {
    TimelineSample sum{.time = SimTime(end.nanoseconds() / std::int64_t(samples) * std::int64_t(s + 1))};
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto& own = parts[p].result.timeline;
      while (at[p] < own.size() && own[at[p]].time <= sum.time) ++at[p];
      if (at[p] == 0) continue;
      const TimelineSample& latest = own[at[p] - 1];
      sum.running += latest.running;
      sum.waiting += latest.waiting;
      sum.kv_use += latest.kv_use / double(parts.size());
      sum.batch_tokens += latest.batch_tokens;
      sum.preemptions += latest.preemptions;
      sum.instances += latest.instances;
    }
    if (joined.empty() || sum.time > joined.back().time) joined.push_back(sum);
  }
  return joined;
}

std::int64_t most_live(const std::vector<RequestRecord>& records) {
  std::vector<std::pair<SimTime, std::int64_t>> changes;
  for (const RequestRecord& record : records) {
    if (record.replica < 0) continue;
    changes.emplace_back(record.queued, 1);
    if (record.completed()) changes.emplace_back(record.last_token, -1);
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t live = 0, most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, live += change);
  return most;
}

void add(SimulationResult& sum, Part& part, std::size_t first_replica) {
  const SimulationResult& own = part.result;
  for (std::size_t i = 0; i < part.requests.size(); ++i) {
    RequestRecord& record = sum.requests[part.requests[i]] = own.requests[i];
    if (record.replica >= 0) record.replica += std::int32_t(first_replica);
  }
  sum.totals += own.totals;
  sum.pools[0].steps += own.pools[0].steps;
  sum.speculation += own.speculation;
  sum.transfers += own.transfers;
  sum.preemptions += own.preemptions;
  sum.cached_tokens += own.cached_tokens;
  sum.timed_out += own.timed_out;
  sum.offloaded_units += own.offloaded_units;
  sum.partial = sum.partial || own.partial;
  add_kernel_times(sum.kernels, own.kernels);
  for (StepRecord& step : part.result.steps) {
    step.replica += std::int32_t(first_replica);
    sum.steps.push_back(std::move(step));
  }
}

// Each part recorded its first steps: the first of all, in order of their start.
void keep_first(std::vector<StepRecord>& steps, std::size_t most) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const StepRecord& a, const StepRecord& b) { return a.begin < b.begin; });
  if (steps.size() > most) steps.resize(most);
}

// Each instance takes its requests in by itself; or nothing is shared on the way to it.
bool has_own_front_ends(const Deployment& deployment) {
  return deployment.rules.front_ends == 0 || deployment.pools[0].config.host.frontend_per_token.value() == 0;
}

}  // namespace

bool instances_are_independent(const Deployment& deployment, const Workload& workload) {
  const PoolPlan& pool = deployment.pools[0];
  const auto follows = [](const WorkloadRequest& request) { return request.after >= 0; };
  return !deployment.disaggregated() && !deployment.encoders && !deployment.shared_kv.exists() &&
         deployment.failures.empty() && !pool.autoscaling.on() && deployment.rules.max_queued == 0 &&
         in_turn(pool.config) && !workload.concurrency && !workload.most_in_flight &&
         has_own_front_ends(deployment) && instance_count(pool) > 1 &&
         std::none_of(workload.requests.begin(), workload.requests.end(), follows);
}

SimulationResult simulate_independent(const Deployment& deployment, const Workload& workload,
                                      const SimulationOptions& options) {
  const PoolPlan& pool = deployment.pools[0];
  const std::size_t group_size = pool.pricer->coupled_replicas();
  const auto instances = std::size_t(instance_count(pool));
  Deployment one = deployment;
  one.pools[0].config.instances = 1;
  one.pools[0].config.data_parallel_size = std::int64_t(group_size);
  std::vector<Part> parts = split(workload, instances, group_size);
  run_parts(parts, one, options, std::ssize(workload.requests));
  SimulationResult sum;
  sum.requests.resize(workload.requests.size());
  sum.pools.push_back({.name = pool.name, .most_instances = std::int64_t(instances)});
  LatencyHistogram itl;
  std::map<std::int64_t, std::int64_t> seconds;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    add(sum, parts[i], parts[i].instance * group_size);
    itl.merge(parts[i].details.itl);
    for (const auto& [second, tokens] : parts[i].details.tokens_by_second) seconds[second] += tokens;
    sum.end = std::max(sum.end, parts[i].result.end);
    sum.kv_blocks = parts[i].result.kv_blocks;
  }
  const double gpus = double(instances) * double(pool.config.gpus_of(std::int64_t(group_size)));
  sum.pools[0].gpu_time = sum.end.seconds() * gpus;
  sum.metrics = metrics_of(sum.requests, itl);
  sum.thinking = thinking_of(sum.requests);
  for (const auto& entry : seconds)
    sum.metrics.max_output_tokens_per_s = std::max(sum.metrics.max_output_tokens_per_s, double(entry.second));
  std::stable_sort(sum.kernels.begin(), sum.kernels.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
  sum.metrics.max_concurrent_requests = most_live(sum.requests);
  keep_first(sum.steps, options.recorded_steps);
  sum.timeline = joined_timeline(parts, options.timeline_samples, sum.end);
  return sum;
}

}  // namespace warploom
