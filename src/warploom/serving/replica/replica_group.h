// Replicas that step together: one, or all ranks of a mixture of experts spread over data-parallel ranks,
// whose step lasts as long as the slowest of them. With async scheduling a second step is chosen and launched
// while the first runs. Over pipeline stages as many steps are in flight as there are stages, and a request
// has one token on the way. StepTimeline keeps the clocks of GPU and host.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "warploom/serving/host/step_timeline.h"
#include "warploom/serving/pricing/cuda_graph.h"
#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/serving/replica/host_pace.h"
#include "warploom/serving/replica/replica.h"
#include "warploom/serving/replica/run_end.h"
#include "warploom/serving/simulation_options.h"
#include "warploom/serving/step_record.h"

namespace warploom {

class ReplicaGroup {
 public:
  ReplicaGroup(const ServingConfig& config, const EngineOptions& options, std::int64_t kv_blocks,
               std::size_t replicas, const StepPricer& pricer, StepTime step_time, const Workload* workload);

  std::size_t size() const { return replicas_.size(); }
  Replica& replica(std::size_t rank) { return replicas_[rank]; }
  const Replica& replica(std::size_t rank) const { return replicas_[rank]; }
  bool idle() const;  // nothing queued, running or kept for others

  // Starts a step if one may and can start now. Returns whether it did; its tokens are out at `end`,
  // unless the host launches another step by then: see oldest_end.
  // Replicas are numbered from `first_replica` in the records; `records` may be null.
  bool start(SimTime now, SimTime& end, std::vector<StepRecord>* records = nullptr,
             std::int32_t first_replica = 0);
  // When the tokens of the oldest step in flight are out.
  SimTime oldest_end() const { return timeline_.oldest_end(); }
  // Ends that step.
  void finish(SimTime now, EngineObserver& observer);
  // The instance fails: steps in flight, sequences and caches are gone.
  void reset(SimTime now);

  // How long the step chosen last takes, from its start to its tokens.
  Seconds latest_span() const { return latest_span_; }
  std::int64_t latest_tokens() const { return latest_tokens_; }
  const StepTotals& totals() const { return totals_; }
  std::int64_t preemptions() const;
  SpeculationCounts speculation() const;
  std::vector<KernelTime> kernels() const { return pricer_->breakdown(); }

 private:
  // The longest of the replicas' steps, part by part; fills costs_.
  struct GroupStep {
    HostStep host;
    Seconds gpu;
  };
  Replica new_replica(std::size_t rank) const;
  GroupStep price_latest(SimTime now);
  // What the tokens of the next step choose (StepBatch::step_draw); 0 where one rank holds all experts.
  double draw_choices();
  // One batch of one replica, where the run lies in its interval and at the pace of its host.
  StepAtEnd time_of(const StepCost& cost, const ScheduledBatch& batch, SimTime now) const;
  void balance_prompts();
  void record(const StepTimeline::Span& span, std::int32_t first_replica,
              std::vector<StepRecord>& records) const;

  ServingConfig config_;
  EngineOptions options_;
  std::int64_t kv_blocks_;
  const Workload* workload_;
  std::vector<Replica> replicas_;
  std::unique_ptr<StepPricer> pricer_;
  HostModel host_;
  HostPace pace_;
  GraphLimits graphs_;
  StepTime step_time_;
  std::vector<Seconds> gpu_;  // of the step chosen last, by replica
  StepTimeline timeline_;
  RankBalance balance_;
  std::vector<RankLoad> loads_;
  std::int64_t latest_tokens_ = 0;
  Seconds latest_span_{0.0};
  std::uint64_t group_steps_ = 0;  // that were drawn
  std::optional<SimTime> began_;   // its first step: the host's pace is counted from there
  StepTotals totals_;
  std::int64_t past_preemptions_ = 0;  // of engines that failed
  SpeculationCounts past_speculation_;
};

}  // namespace warploom
