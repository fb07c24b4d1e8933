#include "warploom/report/run_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "warploom/report/trace_events.h"

namespace warploom {
namespace {

constexpr std::int64_t kRequestsProcess = 0;
constexpr std::int64_t kFirstReplicaProcess = 1;
constexpr std::int64_t kProcessesOfPool = 1'000'000;
constexpr std::int64_t kGpuThread = 1, kHostThread = 2;

std::int64_t process_of(const StepRecord& step) {
  return kFirstReplicaProcess + step.pool * kProcessesOfPool + step.replica;
}

double us(SimTime time) { return double(time.nanoseconds()) * 1e-3; }

struct TracedKernel {
  std::string_view label;
  Family family = Family::Gemm;
  std::int64_t count = 1;
  double time_us = 0;  // of one launch
  std::string arguments;
};

std::vector<TracedKernel> kernels_of(const TracedStep& traced) {
  std::vector<TracedKernel> kernels;
  for (const PricedNode& priced : traced.kernels) {
    const OperatorNode& node = priced.node;
    const LatencyEstimate& estimate = priced.one_call;
    const double time = to_microseconds(estimate.p50);
    kernels.push_back(
        {node.label, family_of(node.op), node.count, time,
         fmt::format(
             R"({{"family":"{}","bound":"{}","tier":"{}","p10_us":{:.3f},"p50_us":{:.3f},)"
             R"("p90_us":{:.3f},"outside_measured_domain":{},"framework":"{}","version":"{}","kernel":"{}"}})",
             name_of(family_of(node.op)), name_of(estimate.bound), name_of(estimate.tier),
             to_microseconds(estimate.p10), time, to_microseconds(estimate.p90), estimate.extrapolated,
             priced.source.framework, priced.source.version, priced.source.kernel)});
  }
  return kernels;
}

// Launches of a node in layer `layer` of `layers`.
std::int64_t launches_in(const TracedKernel& node, std::int64_t layer, std::int64_t layers) {
  return (layer + 1) * node.count / layers - layer * node.count / layers;
}

class StepWriter {
 public:
  StepWriter(TraceEvents& events, std::int64_t process, double start, double scale)
      : events_(events), process_(process), now_(start), scale_(scale) {}

  void kernels(const TracedKernel& node, std::int64_t launches) {
    for (std::int64_t i = 0; i < launches; ++i) {
      events_.add_slice(process_, kGpuThread, node.label, now_, node.time_us * scale_, node.arguments);
      now_ += node.time_us * scale_;
    }
  }

  void layer(std::span<const TracedKernel> nodes, std::int64_t layer, std::int64_t layers) {
    double length = 0;
    for (const TracedKernel& node : nodes)
      if (node.count > 1) length += double(launches_in(node, layer, layers)) * node.time_us * scale_;
    events_.add_slice(process_, kGpuThread, fmt::format("layer {}", layer), now_, length);
    for (const TracedKernel& node : nodes)
      if (node.count > 1) kernels(node, launches_in(node, layer, layers));
  }

 private:
  TraceEvents& events_;
  std::int64_t process_;
  double now_, scale_;
};

// What runs once stands before the layers when it embeds tokens and behind them otherwise.
bool comes_first(const TracedKernel& node) { return node.label.starts_with("embedding"); }

void write_step(TraceEvents& events, const StepRecord& step, std::int64_t number, const TracedStep& traced) {
  const std::int64_t process = process_of(step);
  const std::vector<TracedKernel> nodes = kernels_of(traced);
  double sum = 0;
  for (const TracedKernel& node : nodes) sum += double(node.count) * node.time_us;
  const double start = us(step.begin), gpu = to_microseconds(step.gpu);
  const std::string arguments = fmt::format(
      R"({{"tokens":{},"prefill_requests":{},"prefill_tokens":{},"decode_requests":{},"gpu_us":{:.3f},"host_us":{:.3f}}})",
      step.shape.tokens(), StepShape::requests_of(step.shape.prefill),
      StepShape::tokens_of(step.shape.prefill), StepShape::requests_of(step.shape.decode), gpu,
      to_microseconds(step.host));
  events.add_slice(process, kGpuThread, fmt::format("step {}", number), start, gpu, arguments);
  events.add_slice(process, kHostThread, "host", start + gpu, to_microseconds(step.host));
  StepWriter writer(events, process, start, sum > 0 ? gpu / sum : 1.0);
  for (const TracedKernel& node : nodes)
    if (node.count == 1 && comes_first(node)) writer.kernels(node, 1);
  for (std::int64_t layer = 0; layer < traced.layers; ++layer) writer.layer(nodes, layer, traced.layers);
  for (const TracedKernel& node : nodes)
    if (node.count == 1 && !comes_first(node)) writer.kernels(node, 1);
}

void write_request(TraceEvents& events, std::int64_t id, const RequestRecord& record) {
  const std::string arguments = fmt::format(
      R"({{"input_tokens":{},"output_tokens":{},"cached_tokens":{},"preemptions":{},"replica":{}}})",
      record.input_tokens, record.output_tokens, record.cached_tokens, record.preemptions, record.replica);
  const auto slice = [&](std::string_view name, SimTime begin, SimTime end, std::string_view text = {}) {
    events.add_async_slice(kRequestsProcess, id, "request", name, us(begin), us(end), text);
  };
  slice(fmt::format("request {}", id), record.arrival, record.last_token, arguments);
  slice("queue", record.arrival, record.scheduled);
  slice("prefill", record.scheduled, record.first_token);
  slice("decode", record.first_token, record.last_token);
}

}  // namespace

std::string run_trace_json(const SimulationResult& run, std::span<const TracedStep> traced) {
  WARPLOOM_ASSERT(traced.size() == run.steps.size());
  TraceEvents events;
  events.name_process(kRequestsProcess, "requests");
  SimTime first, last;
  if (!run.steps.empty()) first = run.steps.front().begin;
  std::set<std::int64_t> named;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const StepRecord& step = run.steps[i];
    first = std::min(first, step.begin);
    last = std::max(last, step.end);
    const std::int64_t process = process_of(step);
    if (!named.insert(process).second) continue;
    const std::size_t pool = std::size_t(step.pool);
    const std::string name = run.pools.size() > 1 ? run.pools[pool].name + " " : std::string();
    events.name_process(process, fmt::format("{}replica {} ({})", name, step.replica, traced[i].gpu));
    events.name_thread(process, kGpuThread, "GPU");
    events.name_thread(process, kHostThread, "host");
  }
  for (std::size_t i = 0; i < run.steps.size(); ++i)
    write_step(events, run.steps[i], std::int64_t(i), traced[i]);
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& record = run.requests[i];
    if (record.completed() && record.arrival <= last && record.last_token >= first)
      write_request(events, std::int64_t(i), record);
  }
  for (const TimelineSample& sample : run.timeline) {
    events.add_counter(kRequestsProcess, "running", us(sample.time), double(sample.running));
    events.add_counter(kRequestsProcess, "waiting", us(sample.time), double(sample.waiting));
    events.add_counter(kRequestsProcess, "KV use", us(sample.time), sample.kv_use);
    events.add_counter(kRequestsProcess, "batch tokens", us(sample.time), double(sample.batch_tokens));
  }
  return events.take();
}

}  // namespace warploom
