#include "warploom/serving/cluster/run.h"

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/cluster/cluster_caches.h"
#include "warploom/serving/cluster/encoder_pool.h"
#include "warploom/serving/cluster/planner_benchmark.h"
#include "warploom/serving/cluster/scaling_policy.h"
#include "warploom/serving/thinking_totals.h"

namespace warploom {

Run::Run(const Deployment& deployment, const Workload& workload, const SimulationOptions& options,
         RunListener* listener)
    : deployment_(deployment),
      workload_(workload),
      options_(options),
      listener_(listener),
      records_(workload.requests.size()),
      arrivals_(workload, records_, deployment.pools[0].config.host, front_ends_of(deployment)),
      unplaced_(deployment.pools.size()),
      timeline_(options.timeline_samples) {
  if (deployment.shared_kv.exists()) {
    const std::int64_t unit = unit_tokens_of(deployment.pools[0].config);
    caches_ = std::make_unique<ClusterCaches>(deployment.shared_kv, unit, pools_);
  }
  for (std::size_t i = 0; i < deployment.pools.size(); ++i) {
    const PoolPlan& plan = deployment.pools[i];
    const EngineRole role = deployment.disaggregated() && i == 0 ? EngineRole::Prefill : EngineRole::Whole;
    const PoolRole serves = !deployment.disaggregated() ? PoolRole::Whole
                            : i == 0                    ? PoolRole::Prefill
                                                        : PoolRole::Decode;
    pools_.emplace_back(plan, deployment.rules, workload,
                        PoolRun{.role = role,
                                .serves = serves,
                                .seed = deployment.seed,
                                .step_time = options.step_time,
                                .remote = caches_.get(),
                                .first_id = ClusterCaches::id_of(i, 0)});
    scaling_.push_back(plan.autoscaling.on() ? scaling_policy(plan.autoscaling) : nullptr);
    if (plan.autoscaling.on() && plan.autoscaling.policy == ScalingPolicy::PlannerLatency)
      scaling_.back()->wanted(benchmark_of(plan, serves));
    if (plan.autoscaling.on())
      await(SimTime() + to_sim_duration(plan.autoscaling.interval),
            {.kind = EventKind::Scale, .pool = std::uint32_t(i)});
  }
  if (deployment.encoders)
    encoders_ = std::make_unique<EncoderPool>(*deployment.encoders, workload, options.step_time);
  tracks_slots_ =
      deployment.rules.request_timeout.value() > 0 || (listener != nullptr && !deployment.disaggregated());
  if (tracks_slots_) {
    slots_.resize(records_.size());
    are_over_.resize(records_.size());
  }
  for (const InstanceFailure& failure : deployment.failures) {
    await(failure.at, {.kind = EventKind::Failed,
                       .pool = std::uint32_t(failure.pool),
                       .instance = std::uint32_t(failure.instance),
                       .down = failure.down});
  }
}

Run::~Run() = default;

void Run::on_tokens(SimTime now, std::int64_t count) {
  const std::int64_t second = now.nanoseconds() / 1'000'000'000;
  if (tokens_by_second_.empty() || tokens_by_second_.back().first != second)
    tokens_by_second_.emplace_back(second, 0);
  tokens_by_second_.back().second += count;
  progress_ += count;
}

void Run::on_completion(SimTime now, const Sequence& sequence, Slot slot) {
  ++progress_;
  leave(current_pool_, sequence);
  if (deployment_.disaggregated() && current_pool_ == 0) {
    complete_prefill(now, sequence, slot);
    return;
  }
  if (tracks_slots_) are_over_[sequence.request] = true;
  ++ended_;
  --live_;
  tell_end(sequence.request);
  arrivals_.complete(sequence.request, now);
}

TimelineSample Run::load() {
  TimelineSample sample{.time = latest_};
  std::int64_t used = 0, blocks = 0;
  for (Pool& pool : pools_) {
    const PoolLoad load = pool.load();
    sample.running += load.running;
    sample.waiting += load.waiting;
    blocks += pool.blocks();
    for (std::size_t i = 0; i < pool.size(); ++i) {
      Instance& instance = pool.instance(i);
      sample.instances += instance.state == InstanceState::Up ? 1 : 0;
      sample.batch_tokens += instance.group.latest_tokens();
      sample.preemptions += instance.group.preemptions();
      for (std::size_t rank = 0; rank < pool.group_size(); ++rank)
        used += instance.group.replica(rank).state().kv_cache.used_blocks();
    }
  }
  for (const auto& queue : unplaced_) sample.waiting += std::ssize(queue);
  sample.waiting += std::ssize(encoding_);
  if (blocks > 0) sample.kv_use = double(used) / double(blocks);
  return sample;
}

void Run::start_steps(SimTime now) {
  if (touched_.size() > 1) std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t key : touched_) {
    const std::size_t pool_index = key >> 24, index = key & 0xFFFFFF;
    Pool& pool = pools_[pool_index];
    Instance& instance = pool.instance(index);
    if (!instance.touched) continue;
    instance.touched = false;
    if (instance.state == InstanceState::Down || instance.state == InstanceState::Starting) continue;
    SimTime end;
    const std::size_t first_replica = index * pool.group_size();
    const std::size_t recorded = steps_.size();
    while (instance.group.start(now, end, records_for(now), std::int32_t(first_replica)))
      step_ends_.push(end, {std::uint32_t(pool_index), std::uint32_t(index), instance.epoch});
    for (std::size_t i = recorded; i < steps_.size(); ++i) steps_[i].pool = std::int32_t(pool_index);
    for (std::size_t rank = 0; rank < pool.group_size(); ++rank)
      if (instance.group.replica(rank).has_fetches()) begin_fetches(pool_index, first_replica + rank, now);
  }
  touched_.clear();
  if (timeline_.wants(now)) timeline_.add(load());
}

void Run::touch(std::size_t pool, std::size_t instance) {
  Instance& touched = pools_[pool].instance(instance);
  if (touched.touched) return;
  touched.touched = true;
  touched_.push_back(std::uint32_t(pool << 24 | instance));
}

void Run::play_moment(SimTime now) {
  for (Pool& pool : pools_) pool.look(now);
  if (caches_ != nullptr) caches_->look_at(now);
  while (!step_ends_.empty() && step_ends_.next_time() == now) {
    const StepEnd end = step_ends_.next();
    Pool& pool = pools_[end.pool];
    Instance& instance = pool.instance(end.instance);
    const bool current = instance.epoch == end.epoch;
    if (const SimTime later = current ? instance.group.oldest_end() : now; later > now) {
      step_ends_.put_off(later);  // the host launches another step
      continue;
    }
    step_ends_.pop();
    if (!current) continue;
    current_pool_ = end.pool;
    instance.group.finish(now, *this);
    if (caches_ != nullptr) write_units(end.pool, end.instance);
    pool.settle(end.instance, now);
    touch(end.pool, end.instance);
  }
  while (!events_.empty() && events_.next_time() == now) handle(events_.pop(), now);
  while (const auto request = arrivals_.take(now)) arrive(*request, now);
  if (encoders_ != nullptr) play_encoders(now);
  start_steps(now);
}

// After arrivals, so that a free instance encodes what comes at this moment.
void Run::play_encoders(SimTime now) {
  for (const std::uint32_t request : encoders_->play(now)) {
    auto encoded = encoding_.extract(request);
    encoded.mapped().encoded = true;
    enter(encoded.mapped());
  }
}

void Run::await(SimTime time, const Event& event) {
  if (event.kind != EventKind::Scale) ++awaited_;
  events_.push(time, event);
}

bool Run::stuck() {
  if (!step_ends_.empty() || awaited_ > 0 || arrivals_.next_time() != kNever || !encoding_.empty())
    idle_looks_ = 0;
  return idle_looks_ > pools_.size();
}

bool Run::goes_round() {
  constexpr std::int64_t kMostPreemptions = 512;
  std::int64_t preemptions = 0;
  for (Pool& pool : pools_)
    for (std::size_t i = 0; i < pool.size(); ++i) preemptions += pool.instance(i).group.preemptions();
  const bool alone =
      awaited_ == 0 && arrivals_.next_time() == kNever && encoding_.empty() && progress_ == seen_progress_;
  const bool round = alone && preemptions - seen_preemptions_ > kMostPreemptions;
  seen_progress_ = progress_;
  seen_preemptions_ = preemptions;
  return round;
}

SimTime Run::next_time() const {
  const SimTime step_end = step_ends_.empty() ? kNever : step_ends_.next_time();
  const SimTime event = events_.empty() ? kNever : events_.next_time();
  const SimTime encoded = encoders_ == nullptr ? kNever : encoders_->next_time();
  return std::min({arrivals_.next_time(), step_end, event, encoded});
}

void Run::append() {
  records_.emplace_back();
  if (tracks_slots_) {
    slots_.emplace_back();
    are_over_.push_back(false);
  }
  arrivals_.append(latest_);
}

void Run::play_until(SimTime until) {
  for (SimTime now = next_time(); now <= until && now != kNever; now = next_time()) {
    latest_ = now;
    play_moment(now);
  }
}

void Run::play() {
  const std::int64_t stride = std::max<std::int64_t>(1, std::int64_t(records_.size()) / 100);
  std::int64_t reported = 0;
  constexpr std::int64_t kMomentsOfLook = 2048;
  for (std::int64_t moment = 1;; ++moment) {
    const SimTime now = next_time();
    if (now == kNever || ended_ == std::ssize(records_) || stuck()) break;
    if (options_.cancelled != nullptr && options_.cancelled->load(std::memory_order_relaxed)) {
      stopped_ = true;
      break;
    }
    latest_ = now;
    play_moment(now);
    if (moment % kMomentsOfLook == 0 && goes_round()) {
      went_round_ = true;
      break;
    }
    if (options_.on_progress && ended_ / stride > reported) {
      reported = ended_ / stride;
      options_.on_progress({ended_, std::ssize(records_), now});
    }
  }
}

void Run::add_encoders(SimulationResult& result) const {
  result.encoders = encoders_->totals(latest_);
  StepTotals steps = result.encoders->steps;
  steps.tokens = 0;  // of the language model
  result.totals += steps;
  add_kernel_times(result.kernels, encoders_->kernels());
}

SimulationResult Run::result() {
  play();
  // Requests that no instance ever takes are left over; turns and closed loops wait behind them, and a prompt
  // without an engine to decode keeps its blocks.
  const bool left_over = went_round_ || std::any_of(unplaced_.begin(), unplaced_.end(),
                                                    [](const auto& queue) { return !queue.empty(); });
  SimulationResult result;
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    Pool& pool = pools_[p];
    PoolTotals totals{.name = pool.plan().name, .gpu_time = pool.served(latest_)};
    for (std::size_t i = 0; i < pool.size(); ++i) {
      const ReplicaGroup& group = pool.instance(i).group;
      for (std::size_t rank = 0; rank < pool.group_size(); ++rank) {
        const Replica& engine = group.replica(rank);
        for (const Slot slot : engine.all_slots())
          if (!engine.state().sequences[slot].done) leave(p, engine.state().sequences[slot]);
        if (!stopped_ && !left_over) {
          WARPLOOM_ASSERT(engine.state().kv_cache.used_blocks() == 0);
          WARPLOOM_ASSERT(!engine.state().encoder || engine.state().encoder->held_tokens() == 0);
        }
        if (engine.state().tiers) result.offloaded_units += engine.state().tiers->stored_units();
      }
      totals.steps += group.totals();
      result.preemptions += group.preemptions();
      result.speculation += group.speculation();
      add_kernel_times(result.kernels, group.kernels());
    }
    totals.most_instances = pool.most_instances();
    if (pool.plan().autoscaling.on()) totals.held = pool.held(latest_);
    result.totals += totals.steps;
    result.pools.push_back(std::move(totals));
  }
  if (encoders_ != nullptr) add_encoders(result);
  std::stable_sort(result.kernels.begin(), result.kernels.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
  WARPLOOM_ASSERT(stopped_ || left_over || ended_ == std::ssize(records_));
  result.metrics = metrics_of(records_, itl_);
  result.thinking = thinking_of(records_);
  for (const auto& entry : tokens_by_second_)
    result.metrics.max_output_tokens_per_s =
        std::max(result.metrics.max_output_tokens_per_s, double(entry.second));
  result.metrics.max_concurrent_requests = most_live_;
  result.timeline = timeline_.take();
  for (const RequestRecord& record : records_) {
    result.cached_tokens += record.cached_tokens;
    result.restarts += record.restarts;
    result.turned_away += record.turned_away ? 1 : 0;
    result.timed_out += record.timed_out ? 1 : 0;
  }
  result.kv_blocks = deployment_.pools.back().config.num_gpu_blocks_override.value_or(0);
  result.transfers = transfers_;
  if (caches_ != nullptr) result.shared_kv = caches_->totals();
  result.partial = stopped_;
  result.end = latest_;
  result.steps = std::move(steps_);
  result.requests = std::move(records_);
  return result;
}

}  // namespace warploom
