#include "warploom/serving/replica/replica_group.h"

#include <algorithm>

#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/pricing/cuda_graph.h"

namespace warploom {

ReplicaGroup::ReplicaGroup(const ServingConfig& config, const EngineOptions& options, std::int64_t kv_blocks,
                           std::size_t replicas, const StepPricer& pricer, StepTime step_time,
                           const Workload* workload)
    : config_(config),
      options_(options),
      kv_blocks_(kv_blocks),
      workload_(workload),
      pricer_(pricer.clone()),
      host_(config.host),
      largest_prefill_graph_(largest_prefill_graph(config)),
      step_time_(step_time),
      depth_(config.pipeline_parallel_size > 1 ? std::size_t(config.pipeline_parallel_size)
             : config.async_scheduling         ? 2
                                               : 1),
      stage_free_(std::size_t(config.pipeline_parallel_size)) {
  costs_.resize(replicas);
  replicas_.reserve(replicas);
  for (std::size_t i = 0; i < replicas; ++i) replicas_.emplace_back(config, kv_blocks, workload, options);
}

void ReplicaGroup::reset(SimTime now) {
  past_preemptions_ = preemptions();
  past_speculation_ = speculation();
  for (Replica& replica : replicas_) replica = Replica(config_, kv_blocks_, workload_, options_);
  std::fill(stage_free_.begin(), stage_free_.end(), now);
  outputs_free_ = now;
  in_flight_ = 0;
  latest_tokens_ = 0;
}

bool ReplicaGroup::idle() const {
  return std::all_of(replicas_.begin(), replicas_.end(), [](const Replica& replica) {
    return replica.live() == 0 && replica.in_flight() == 0 && replica.state().held.empty();
  });
}

bool ReplicaGroup::start(SimTime now, SimTime& end, std::vector<StepRecord>* records,
                         std::int32_t first_replica) {
  if (in_flight_ >= depth_) return false;
  bool any = false;
  for (Replica& replica : replicas_) {
    const bool started = replica.start(now);
    any = any || started;
  }
  if (!any) return false;
  for (Replica& replica : replicas_) {
    if (replica.in_flight() == in_flight_) replica.start_idle();
  }
  ++in_flight_;
  const SimTime begin = std::max(now, stage_free_[0]);
  end = occupy(begin, price_latest());
  if (records != nullptr) record(begin, end, first_replica, *records);
  return true;
}

SimTime ReplicaGroup::occupy(SimTime begin, const StepSpan& span) {
  const std::int64_t stages = std::ssize(stage_free_);
  if (stages == 1) return stage_free_[0] = begin + to_sim_duration(span.whole);
  // Of whole nanoseconds, equal shares and the rest spread: times stages they could leave 64 bits.
  const std::int64_t kernels = to_sim_duration(span.stages).nanoseconds();
  const std::int64_t share = kernels / stages, rest = kernels % stages;
  SimTime end = begin + to_sim_duration(span.before);
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    SimTime& free = stage_free_[std::size_t(stage)];
    end = free =
        std::max(end, free) + SimDuration(share + rest * (stage + 1) / stages - rest * stage / stages);
  }
  return outputs_free_ = std::max(end, outputs_free_) + to_sim_duration(span.after);
}

void ReplicaGroup::record(SimTime begin, SimTime end, std::int32_t first_replica,
                          std::vector<StepRecord>& records) const {
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const ScheduledBatch& batch = replicas_[i].latest();
    if (batch.empty()) continue;
    StepRecord step{.begin = begin,
                    .end = end,
                    .replica = first_replica + std::int32_t(i),
                    .gpu = costs_[i].gpu,
                    .host = costs_[i].host,
                    .shape = {}};
    const StepBatch sizes = batch.step(latest_tokens_, 0);
    for (std::size_t d = 0; d < batch.decode_contexts.size(); ++d)
      step.shape.decode.push_back({1, sizes.queries_of(d), batch.decode_contexts[d]});
    for (const PrefillChunk& chunk : batch.chunks)
      step.shape.prefill.push_back({1, chunk.tokens, chunk.context});
    step.shape.logits_rows = std::ssize(batch.emitting) + batch.draft_tokens;
    step.shape.group_tokens = latest_tokens_;
    records.push_back(std::move(step));
  }
}

ReplicaGroup::StepSpan ReplicaGroup::price_latest() {
  std::int64_t group_tokens = 0, widest = 0;
  for (const Replica& replica : replicas_) {
    group_tokens += replica.latest().tokens();
    widest = std::max(widest, replica.latest().tokens());
  }
  latest_tokens_ = group_tokens;
  StepSpan longest;
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const ScheduledBatch& batch = replicas_[i].latest();
    if (batch.empty()) continue;
    const StepCost cost = pricer_->price(batch.step(group_tokens, widest));
    const Seconds gpu = step_time_ == StepTime::Low    ? cost.p10
                        : step_time_ == StepTime::High ? cost.p90
                                                       : cost.p50;
    const bool launches = launches_one_by_one(batch.chunk_tokens, batch.tokens(), largest_prefill_graph_);
    const Seconds host = host_.overhead(gpu, batch.sequences(), launches);
    costs_[i] = {gpu, host};
    replicas_[i].see_price(gpu);
    if (gpu + host > longest.whole)
      longest = {gpu + host, host_.before(batch.sequences()),
                 gpu + host_.exposed(gpu, batch.sequences(), launches), host_.after(batch.sequences())};
    ++totals_.steps;
    totals_.tokens += batch.tokens();
    totals_.gpu_p10 += cost.p10;
    totals_.gpu_p50 += cost.p50;
    totals_.gpu_p90 += cost.p90;
    totals_.collectives += cost.collectives;
    totals_.host += host;
  }
  return longest;
}

void ReplicaGroup::finish(SimTime now, EngineObserver& observer) {
  --in_flight_;
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
