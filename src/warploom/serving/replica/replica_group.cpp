#include "warploom/serving/replica/replica_group.h"

#include <algorithm>
#include <limits>

#include "warploom/base/hash.h"
#include "warploom/base/random.h"
#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {
namespace {

std::size_t steps_in_flight(const ServingConfig& config) {
  if (config.pipeline_parallel_size > 1) return std::size_t(config.pipeline_parallel_size);
  return schedules_ahead(config) ? 2 : 1;
}

HostStep longest(const HostStep& a, const HostStep& b) {
  return {std::max(a.before, b.before), std::max(a.launch, b.launch), std::max(a.finish, b.finish),
          std::max(a.gap, b.gap), std::max(a.pause, b.pause)};
}

}  // namespace

ReplicaGroup::ReplicaGroup(const ServingConfig& config, const EngineOptions& options, std::int64_t kv_blocks,
                           std::size_t replicas, const StepPricer& pricer, StepTime step_time,
                           const Workload* workload)
    : config_(config),
      options_(options),
      kv_blocks_(kv_blocks),
      workload_(workload),
      pricer_(pricer.clone()),
      host_(config.host),
      pace_((config.host_at_end ? *config.host_at_end : config.host).pace_spread, config.host.paces),
      graphs_(graph_limits_of(config)),
      step_time_(step_time),
      gpu_(replicas),
      timeline_(std::size_t(config.pipeline_parallel_size), steps_in_flight(config)),
      balance_({.on = config.attention_dp_balance,
                .timeout_steps = config.attention_dp_timeout_iters,
                .batching_steps = config.attention_dp_batching_wait_iters}) {
  replicas_.reserve(replicas);
  for (std::size_t i = 0; i < replicas; ++i) replicas_.push_back(new_replica(i));
}

Replica ReplicaGroup::new_replica(std::size_t rank) const {
  EngineOptions options = options_;
  options.remote_id += std::uint32_t(rank);
  return Replica(config_, kv_blocks_, workload_, options);
}

void ReplicaGroup::reset(SimTime now) {
  past_preemptions_ = preemptions();
  past_speculation_ = speculation();
  for (std::size_t i = 0; i < replicas_.size(); ++i) replicas_[i] = new_replica(i);
  timeline_.reset(now);
  latest_tokens_ = 0;
}

bool ReplicaGroup::idle() const {
  return std::all_of(replicas_.begin(), replicas_.end(), [](const Replica& replica) {
    return replica.live() == 0 && replica.in_flight() == 0 && replica.state().held.empty();
  });
}

void ReplicaGroup::balance_prompts() {
  if (!config_.attention_dp_balance) return;
  loads_.clear();
  for (const Replica& replica : replicas_) loads_.push_back(replica.load());
  const bool wait = balance_.prompts_wait(loads_);
  for (Replica& replica : replicas_) replica.let_prompts_wait(wait);
}

bool ReplicaGroup::start(SimTime now, SimTime& end, std::vector<StepRecord>* records,
                         std::int32_t first_replica) {
  if (timeline_.full()) return false;
  balance_prompts();
  bool any = false;
  for (Replica& replica : replicas_) {
    const bool started = replica.start(now);
    any = any || started;
  }
  if (!any) return false;
  for (Replica& replica : replicas_) {
    if (replica.in_flight() == timeline_.in_flight()) replica.start_idle();
  }
  const GroupStep step = price_latest(now);
  const StepTimeline::Span span = timeline_.begin(now, step.host, step.gpu);
  totals_.host += span.host;
  latest_span_ = (span.end - span.begin).seconds();
  end = timeline_.newest_end();
  if (records != nullptr) record(span, first_replica, *records);
  return true;
}

void ReplicaGroup::record(const StepTimeline::Span& span, std::int32_t first_replica,
                          std::vector<StepRecord>& records) const {
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const ScheduledBatch& batch = replicas_[i].latest();
    if (batch.empty()) continue;
    StepRecord step{.begin = span.begin,
                    .end = span.end,
                    .replica = first_replica + std::int32_t(i),
                    .gpu = gpu_[i],
                    .host = span.host,
                    .shape = {}};
    const StepBatch sizes = batch.step();
    for (std::size_t d = 0; d < batch.decode_contexts.size(); ++d)
      step.shape.decode.push_back({1, sizes.queries_of(d), batch.decode_contexts[d]});
    for (const PrefillChunk& chunk : batch.chunks)
      step.shape.prefill.push_back({1, chunk.tokens, chunk.context});
    step.shape.logits_rows = std::ssize(batch.emitting) + batch.draft_tokens;
    step.shape.group_tokens = latest_tokens_;
    records.push_back(std::move(step));
  }
}

StepAtEnd ReplicaGroup::time_of(const StepCost& cost, const ScheduledBatch& batch, SimTime now) const {
  const HostModel* at_end = config_.host_at_end ? &*config_.host_at_end : nullptr;
  StepAtEnd timed = step_at_end(cost, batch.chunk_tokens > 0, step_time_,
                                {.host = host_,
                                 .at_end = at_end,
                                 .sequences = batch.sequences(),
                                 .mode = graphs_.mode(batch.chunk_tokens, batch.tokens()),
                                 .async = schedules_ahead(config_)});
  timed.host = at_pace(timed.host, pace_.at(now - *began_));
  return timed;
}

double ReplicaGroup::draw_choices() {
  constexpr double kFarthest = 3;
  if (!config_.enable_expert_parallel && replicas_.size() < 2) return 0;
  RandomStream rng(hash_combine(options_.seed, ++group_steps_), "step_choices");
  return std::clamp(rng.normal(0, 1), -kFarthest, kFarthest);
}

ReplicaGroup::GroupStep ReplicaGroup::price_latest(SimTime now) {
  std::int64_t group_tokens = 0, widest = 0, narrowest = std::numeric_limits<std::int64_t>::max();
  for (const Replica& replica : replicas_) {
    const std::int64_t tokens = replica.latest().tokens();
    group_tokens += tokens;
    widest = std::max(widest, tokens);
    narrowest = std::min(narrowest, tokens);
  }
  latest_tokens_ = group_tokens;
  if (!began_) began_ = now;
  const double draw = draw_choices();
  GroupStep whole;
  bool any = false;
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const ScheduledBatch& batch = replicas_[i].latest();
    if (batch.empty()) continue;
    StepBatch step = batch.step();
    step.group_tokens = group_tokens;
    step.widest_rank_tokens = widest;
    step.narrowest_rank_tokens = narrowest;
    step.step_draw = draw;
    const StepCost cost = pricer_->price(step);
    const StepAtEnd timed = time_of(cost, batch, now);
    gpu_[i] = timed.gpu;
    replicas_[i].see_price(timed.gpu);
    whole.gpu = std::max(whole.gpu, timed.gpu);
    // A pause may be below 0, so the first is taken as it is.
    whole.host = any ? longest(whole.host, timed.host) : timed.host;
    any = true;
    ++totals_.steps;
    totals_.tokens += batch.tokens();
    for (const ImageCount& each : batch.images) totals_.images += each.count;
    totals_.gpu_p10 += cost.p10;
    totals_.gpu_p50 += cost.p50;
    totals_.gpu_p90 += cost.p90;
    totals_.collectives += cost.collectives;
    totals_.images_p10 += cost.images_p10;
    totals_.images_p50 += cost.images_p50;
    totals_.images_p90 += cost.images_p90;
  }
  return whole;
}

void ReplicaGroup::finish(SimTime now, EngineObserver& observer) {
  timeline_.finish(now);
  for (Replica& replica : replicas_) replica.finish(now, observer);
}

std::int64_t ReplicaGroup::preemptions() const {
  std::int64_t sum = past_preemptions_;
  for (const Replica& replica : replicas_) sum += replica.state().preemptions;
  return sum;
}

SpeculationCounts ReplicaGroup::speculation() const {
  SpeculationCounts sum = past_speculation_;
  for (const Replica& replica : replicas_) sum += replica.state().speculation;
  return sum;
}

}  // namespace warploom
