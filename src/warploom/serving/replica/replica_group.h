// Replicas that step together: one, or all ranks of a mixture of experts spread over data-parallel ranks,
// whose step lasts as long as the slowest of them. Keeps the GPU's timeline: with async scheduling a second
// step is chosen while the first runs and starts the moment it ends. Over pipeline stages as many steps are
// in flight as there are stages, each stage with an equal share of a step's kernels and launches, and a
// request has one token on the way. The first stage waits for the step's inputs; the engine's own process
// takes the outputs of one step after the other, while the stages go on.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/serving/replica/replica.h"
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

  // Starts a step if one may and can start now. Returns whether it did; `end` is then when it ends.
  // Replicas are numbered from `first_replica` in the records; `records` may be null.
  bool start(SimTime now, SimTime& end, std::vector<StepRecord>* records = nullptr,
             std::int32_t first_replica = 0);
  void finish(SimTime now, EngineObserver& observer);
  // The instance fails: steps in flight, sequences and caches are gone.
  void reset(SimTime now);

  std::int64_t latest_tokens() const { return latest_tokens_; }
  const StepTotals& totals() const { return totals_; }
  std::int64_t preemptions() const;
  SpeculationCounts speculation() const;
  std::vector<KernelTime> kernels() const { return pricer_->breakdown(); }

 private:
  // The longest of the replicas' steps, `whole` and in parts; fills costs_.
  struct StepSpan {
    Seconds whole, before, stages, after;
  };
  StepSpan price_latest();
  // When the step ends that the first stage may start at `begin`.
  SimTime occupy(SimTime begin, const StepSpan& span);
  void record(SimTime begin, SimTime end, std::int32_t first_replica, std::vector<StepRecord>& records) const;

  ServingConfig config_;
  EngineOptions options_;
  std::int64_t kv_blocks_;
  const Workload* workload_;
  std::vector<Replica> replicas_;
  std::unique_ptr<StepPricer> pricer_;
  HostModel host_;
  std::int64_t largest_prefill_graph_;
  StepTime step_time_;
  struct Cost {
    Seconds gpu, host;
  };
  std::vector<Cost> costs_;          // of the step chosen last, by replica
  std::size_t depth_;                // steps in flight at most
  std::vector<SimTime> stage_free_;  // when each pipeline stage ends what it has
  SimTime outputs_free_;             // and the process that takes a pipeline's outputs
  std::size_t in_flight_ = 0;
  std::int64_t latest_tokens_ = 0;
  StepTotals totals_;
  std::int64_t past_preemptions_ = 0;  // of engines that failed
  SpeculationCounts past_speculation_;
};

}  // namespace warploom
