#include "warploom/serving/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/serving/event_queue.h"
#include "warploom/serving/replica_group.h"
#include "warploom/serving/timeline.h"

namespace warploom {
namespace {

constexpr SimTime kNever{std::numeric_limits<std::int64_t>::max()};
constexpr std::int64_t kUnlimitedBlocks = std::int64_t(1) << 40;

void check_request(const ServingConfig& config, const SchedulerLimits& limits, const Workload& workload,
                   std::size_t index) {
  const WorkloadRequest& request = workload.requests[index];
  const std::int64_t tokens = std::int64_t(request.input_tokens) + request.output_tokens;
  const auto where = [&] {
    return fmt::format("workload '{}': request {} ({} input, {} output tokens)", workload.name, index,
                       request.input_tokens, request.output_tokens);
  };
  if (config.max_model_len && tokens > *config.max_model_len) {
    throw InvalidInput(fmt::format("{} is longer than max_model_len, expected at most {} tokens in all",
                                   where(), *config.max_model_len));
  }
  // What was computed before a preemption is computed again as one prompt.
  const std::int64_t whole =
      limits.guaranteed_no_evict && config.engine == "trtllm" ? request.input_tokens : tokens;
  if (!limits.enable_chunked_prefill && whole > limits.max_num_batched_tokens) {
    throw InvalidInput(
        fmt::format("{} does not fit into a step without chunked prefill, expected at most "
                    "max_num_batched_tokens = {} tokens",
                    where(), limits.max_num_batched_tokens));
  }
  // The last output token is never written to the cache.
  const std::int64_t block_size = block_size_of(config);
  const std::int64_t blocks = (tokens - 1 + block_size - 1) / block_size;
  if (config.num_gpu_blocks_override && blocks > *config.num_gpu_blocks_override) {
    throw InvalidInput(fmt::format("{} needs {} KV blocks of {} tokens, expected at most the {} of the cache",
                                   where(), blocks, block_size, *config.num_gpu_blocks_override));
  }
}

void check_replicas(const ServingConfig& config, const StepPricer& pricer) {
  if (config.data_parallel_size % std::int64_t(pricer.coupled_replicas()) != 0) {
    throw InvalidInput(
        fmt::format("data_parallel_size is {}, expected a multiple of the {} ranks that share a mixture of "
                    "experts",
                    config.data_parallel_size, pricer.coupled_replicas()));
  }
}

class Run final : public EngineObserver {
 public:
  Run(const ServingConfig& config, const Workload& workload, const StepPricer& pricer,
      const SimulationOptions& options);
  SimulationResult result();

  void on_token_gaps(SimDuration gap, std::int64_t count) override { itl_.add(gap, count); }
  void on_tokens(SimTime now, std::int64_t count) override;
  void on_completion(SimTime now, const Sequence& sequence) override;

 private:
  void play();
  SimTime next_arrival() const;
  void list_turns();
  void skip_turns();
  void send(std::size_t request, SimTime now);
  void send_next(SimTime now);
  std::size_t take_arrival();
  std::size_t replica_for(std::size_t request);
  void arrive();
  void start_steps(SimTime now);
  void record(const Sequence& sequence);
  void sample(SimTime now);
  // Where steps that start now are recorded; null when they are not.
  std::vector<StepRecord>* records_for(SimTime now) {
    return steps_.size() < options_.recorded_steps && now >= options_.record_from ? &steps_ : nullptr;
  }

  const Workload& workload_;
  const SimulationOptions& options_;
  // When a request that is sent now reaches its engine's queue. Prompts are tokenised one after the other.
  SimTime through_frontend(SimTime sent, std::int32_t input_tokens);

  SimDuration frontend_latency_;
  double frontend_per_token_;  // s
  SimTime tokenizer_free_;
  std::size_t replicas_;
  RoutingPolicy routing_;
  std::vector<ReplicaLoad> loads_;  // of replica_for, kept for its memory
  std::vector<ReplicaGroup> groups_;
  EventQueue<std::uint32_t> step_ends_;    // the group whose oldest step ends
  EventQueue<std::uint32_t> queue_times_;  // requests sent in answer to others, when they reach their engine
  std::size_t next_request_ = 0;           // open loop: to reach its engine next; closed: to be sent next
  std::vector<std::uint32_t> turns_, turns_begin_;  // the requests that follow each; empty when none does
  std::vector<bool> touched_;                       // groups that may start a step now
  std::vector<RequestRecord> records_;
  std::vector<StepRecord> steps_;
  LatencyHistogram itl_;
  TimelineRecorder timeline_;
  std::int64_t completed_ = 0, live_ = 0, most_live_ = 0;
  std::int64_t second_ = 0, tokens_in_second_ = 0, most_tokens_in_second_ = 0;
  std::int64_t kv_blocks_ = 0;
  bool stopped_ = false;
};

Run::Run(const ServingConfig& config, const Workload& workload, const StepPricer& pricer,
         const SimulationOptions& options)
    : workload_(workload),
      options_(options),
      frontend_latency_(to_sim_duration(config.host.frontend_latency)),
      frontend_per_token_(config.host.frontend_per_token.value()),
      replicas_(std::size_t(config.data_parallel_size)),
      routing_(config.routing_policy),
      loads_(replicas_),
      timeline_(options.timeline_samples),
      kv_blocks_(config.num_gpu_blocks_override.value_or(0)) {
  const std::int64_t blocks = config.num_gpu_blocks_override.value_or(kUnlimitedBlocks);
  const std::size_t group_size = pricer.coupled_replicas();
  for (std::size_t i = 0; i < replicas_; i += group_size) {
    groups_.emplace_back(config, blocks, group_size, pricer, options.step_time, &workload_);
  }
  touched_.assign(groups_.size(), false);
  records_.resize(workload.requests.size());
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const WorkloadRequest& request = workload.requests[i];
    records_[i].input_tokens = request.input_tokens;
    records_[i].output_tokens = request.output_tokens;
    if (!workload.concurrency) {
      records_[i].arrival = request.arrival;
      records_[i].queued = through_frontend(request.arrival, request.input_tokens);
    }
  }
  list_turns();
  play();
}

void Run::list_turns() {
  const auto& requests = workload_.requests;
  if (std::none_of(requests.begin(), requests.end(), [](const WorkloadRequest& r) { return r.after >= 0; }))
    return;
  turns_begin_.assign(requests.size() + 1, 0);
  for (const WorkloadRequest& request : requests)
    if (request.after >= 0) ++turns_begin_[std::size_t(request.after) + 1];
  for (std::size_t i = 0; i < requests.size(); ++i) turns_begin_[i + 1] += turns_begin_[i];
  turns_.resize(turns_begin_.back());
  std::vector<std::uint32_t> next(turns_begin_.begin(), turns_begin_.end() - 1);
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i].after >= 0) turns_[next[std::size_t(requests[i].after)]++] = std::uint32_t(i);
}

// Later turns are sent when the turn before them is answered.
void Run::skip_turns() {
  while (next_request_ < records_.size() && workload_.requests[next_request_].after >= 0) ++next_request_;
}

SimTime Run::next_arrival() const {
  const SimTime sent = queue_times_.empty() ? kNever : queue_times_.next_time();
  if (workload_.concurrency || next_request_ >= records_.size()) return sent;
  return std::min(sent, records_[next_request_].queued);
}

SimTime Run::through_frontend(SimTime sent, std::int32_t input_tokens) {
  tokenizer_free_ =
      std::max(tokenizer_free_, sent) + to_sim_duration(Seconds(frontend_per_token_ * double(input_tokens)));
  return tokenizer_free_ + frontend_latency_;
}

void Run::send(std::size_t request, SimTime now) {
  records_[request].arrival = now;
  records_[request].queued = through_frontend(now, records_[request].input_tokens);
  queue_times_.push(records_[request].queued, std::uint32_t(request));
}

std::size_t Run::take_arrival() {
  const bool listed = !workload_.concurrency && next_request_ < records_.size();
  if (!listed || (!queue_times_.empty() && queue_times_.next_time() < records_[next_request_].queued))
    return queue_times_.pop();
  const std::size_t request = next_request_++;
  skip_turns();
  return request;
}

std::size_t Run::replica_for(std::size_t request) {
  if (replicas_ == 1) return 0;
  const std::size_t group_size = groups_[0].size();
  for (std::size_t i = 0; i < replicas_; ++i) {
    const Engine& engine = groups_[i / group_size].engine(i % group_size);
    loads_[i].live = std::int64_t(engine.live());
    if (routing_ == RoutingPolicy::PrefixAware)
      loads_[i].cached_tokens =
          engine.state().cached_prefix(std::uint32_t(request), records_[request].input_tokens);
  }
  const std::int32_t after = workload_.requests[request].after;
  return choose_replica(routing_, std::uint32_t(request), loads_,
                        after >= 0 ? records_[std::size_t(after)].replica : -1);
}

void Run::arrive() {
  const std::size_t request = take_arrival();
  RequestRecord& record = records_[request];
  const std::size_t replica = replica_for(request);
  const std::size_t group = replica / groups_[0].size();
  record.replica = std::int32_t(replica);
  groups_[group]
      .engine(replica % groups_[0].size())
      .add(std::uint32_t(request), record.input_tokens, record.output_tokens);
  touched_[group] = true;
  most_live_ = std::max(most_live_, ++live_);
}

void Run::on_tokens(SimTime now, std::int64_t count) {
  const std::int64_t second = now.nanoseconds() / 1'000'000'000;
  if (second != second_) {
    second_ = second;
    tokens_in_second_ = 0;
  }
  tokens_in_second_ += count;
  most_tokens_in_second_ = std::max(most_tokens_in_second_, tokens_in_second_);
}

void Run::record(const Sequence& sequence) {
  RequestRecord& record = records_[sequence.request];
  record.was_scheduled = sequence.was_scheduled;
  record.scheduled = sequence.scheduled;
  record.first_token = sequence.first_token;
  record.last_token = sequence.last_token;
  record.tokens_emitted = sequence.outputs_emitted;
  record.preemptions = sequence.preemptions;
  record.cached_tokens = sequence.cached_tokens;
}

void Run::on_completion(SimTime now, const Sequence& sequence) {
  record(sequence);
  ++completed_;
  --live_;
  const std::size_t begin = turns_begin_.empty() ? 0 : turns_begin_[sequence.request];
  const std::size_t end = turns_begin_.empty() ? 0 : turns_begin_[sequence.request + 1];
  for (std::size_t i = begin; i < end; ++i) send(turns_[i], now + workload_.requests[turns_[i]].delay);
  if (workload_.concurrency && begin == end && next_request_ < records_.size()) send_next(now);
}

void Run::send_next(SimTime now) {
  send(next_request_++, now);
  skip_turns();
}

void Run::sample(SimTime now) {
  TimelineSample sample{.time = now};
  std::int64_t used = 0;
  for (ReplicaGroup& group : groups_) {
    sample.batch_tokens += group.latest_tokens();
    for (std::size_t i = 0; i < group.size(); ++i) {
      const SchedulerState& state = group.engine(i).state();
      sample.running += std::int64_t(state.running.size());
      sample.waiting += std::int64_t(state.waiting.size());
      used += state.kv_cache.used_blocks();
    }
  }
  if (kv_blocks_ > 0) sample.kv_use = double(used) / double(kv_blocks_ * std::int64_t(replicas_));
  timeline_.add(sample);
}

void Run::start_steps(SimTime now) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (!touched_[i]) continue;
    touched_[i] = false;
    SimTime end;
    while (groups_[i].start(now, end, records_for(now), std::int32_t(i * groups_[i].size())))
      step_ends_.push(end, std::uint32_t(i));
  }
  if (timeline_.wants(now)) sample(now);
}

void Run::play() {
  skip_turns();
  if (workload_.concurrency) {
    const std::size_t first = std::min(records_.size(), std::size_t(*workload_.concurrency));
    for (std::size_t sent = 0; sent < first && next_request_ < records_.size(); ++sent) send_next(SimTime());
  }
  const std::int64_t stride = std::max<std::int64_t>(1, std::int64_t(records_.size()) / 100);
  std::int64_t reported = 0;
  while (true) {
    const SimTime step_end = step_ends_.empty() ? kNever : step_ends_.next_time();
    const SimTime now = std::min(next_arrival(), step_end);
    if (now == kNever) break;
    if (options_.cancelled != nullptr && options_.cancelled->load(std::memory_order_relaxed)) {
      stopped_ = true;
      break;
    }
    // Steps first: what they complete may let a request be sent at this very moment.
    while (!step_ends_.empty() && step_ends_.next_time() == now) {
      const std::uint32_t group = step_ends_.pop();
      groups_[group].finish(now, *this);
      touched_[group] = true;
    }
    while (next_arrival() == now) arrive();
    start_steps(now);
    if (options_.on_progress && completed_ / stride > reported) {
      reported = completed_ / stride;
      options_.on_progress({completed_, std::int64_t(records_.size()), now});
    }
  }
}

SimulationResult Run::result() {
  SimulationResult result;
  for (ReplicaGroup& group : groups_) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const SchedulerState& state = group.engine(i).state();
      for (const Slot slot : state.running) record(state.sequences[slot]);
      for (const Slot slot : state.waiting) record(state.sequences[slot]);
      if (!stopped_) WARPLOOM_ASSERT(state.kv_cache.used_blocks() == 0);
    }
    const StepTotals& totals = group.totals();
    result.totals.steps += totals.steps;
    result.totals.tokens += totals.tokens;
    result.totals.gpu_p10 += totals.gpu_p10;
    result.totals.gpu_p50 += totals.gpu_p50;
    result.totals.gpu_p90 += totals.gpu_p90;
    result.totals.collectives += totals.collectives;
    result.totals.host += totals.host;
    result.preemptions += group.preemptions();
    group.add_kernels(result.kernels);
  }
  std::stable_sort(result.kernels.begin(), result.kernels.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
  WARPLOOM_ASSERT(stopped_ || completed_ == std::int64_t(records_.size()));
  result.metrics = metrics_of(records_, itl_);
  result.metrics.max_output_tokens_per_s = double(most_tokens_in_second_);
  result.metrics.max_concurrent_requests = most_live_;
  result.timeline = timeline_.take();
  for (const RequestRecord& record : records_) result.cached_tokens += record.cached_tokens;
  result.kv_blocks = kv_blocks_;
  result.partial = stopped_;
  result.steps = std::move(steps_);
  result.requests = std::move(records_);
  return result;
}

}  // namespace

SimulationResult simulate(const ServingConfig& config, const Workload& workload, const StepPricer& pricer,
                          const SimulationOptions& options) {
  check_config(config);
  check_workload(workload);
  check_replicas(config, pricer);
  const SchedulerLimits limits = limits_of(config);
  for (std::size_t i = 0; i < workload.requests.size(); ++i) check_request(config, limits, workload, i);
  return Run(config, workload, pricer, options).result();
}

}  // namespace warploom
