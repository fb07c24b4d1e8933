#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/random_deployment.h"
#include "warploom/serving/replica/replica.h"

namespace warploom {
namespace {

#if defined(WARPLOOM_SANITIZED)
constexpr std::uint64_t kCases = 300;
#else
constexpr std::uint64_t kCases = 4'000;
#endif

class Completions final : public EngineObserver {
 public:
  void on_token_gaps(SimDuration, std::int64_t) override {}
  void on_tokens(SimTime, std::int64_t) override {}
  void on_completion(SimTime, const Sequence&, Slot) override { ++count; }
  std::int64_t count = 0;
};

// One engine of a drawn run, step by step, with a look at its state after each choice.
class WatchedEngine {
 public:
  explicit WatchedEngine(const RandomRun& run)
      : run_(run),
        config_(run.deployment.pools[0].config),
        replica_(config_, *config_.num_gpu_blocks_override, &run.workload,
                 {.speculation = speculation_of(config_), .tiers = run.deployment.pools[0].tiers}) {}

  void play() {
    const std::int64_t requests = std::ssize(run_.workload.requests);
    for (std::int64_t moment = 0; completions_.count < requests; ++moment) {
      ASSERT_LT(moment, 20'000) << "requests that never end";
      if (added_ < std::size_t(requests) && moment % 2 == 0) add(added_++);
      while (replica_.in_flight() < depth()) {
        look();
        const bool started = replica_.start(SimTime(moment));
        check_choice();
        if (!started) break;
      }
      for (const KvFetch& fetch : replica_.take_fetches())
        replica_.fetched(fetch.slot, SimTime(moment), completions_);
      if (replica_.in_flight() > 0) replica_.finish(SimTime(moment + 1), completions_);
    }
    EXPECT_EQ(replica_.state().kv_cache.used_blocks(), 0);
  }

 private:
  struct Seen {
    Slot slot;
    std::int32_t preemptions;
    bool idle;
  };

  std::size_t depth() const {
    if (config_.pipeline_parallel_size > 1) return std::size_t(config_.pipeline_parallel_size);
    return config_.async_scheduling ? 2 : 1;
  }

  void add(std::size_t index) {
    const WorkloadRequest& asked = run_.workload.requests[index];
    replica_.add({.request = std::uint32_t(index),
                  .input_tokens = asked.input_tokens,
                  .output_tokens = asked.output_tokens,
                  .priority = asked.priority,
                  .arrival = SimTime(std::int64_t(index))});
  }

  void look() {
    seen_.clear();
    for (const Slot slot : replica_.state().running) {
      const Sequence& sequence = replica_.state().sequences[slot];
      seen_.push_back({slot, sequence.preemptions, sequence.idle()});
    }
  }

  void check_choice() {
    const SchedulerState& state = replica_.state();
    const KvCache& cache = state.kv_cache;
    std::int64_t own = 0;
    std::set<KvCache::Unit> units;
    for (const Slot slot : replica_.all_slots()) {
      const Sequence& sequence = state.sequences[slot];
      if (sequence.done) continue;
      own += sequence.blocks - std::ssize(sequence.units) * cache.unit_blocks();
      units.insert(sequence.units.begin(), sequence.units.end());
    }
    EXPECT_EQ(cache.used_blocks(), own + std::ssize(units) * cache.unit_blocks());
    if (state.by_priority) check_priorities();
  }

  // Who was preempted comes after everyone who ran before and still runs.
  void check_priorities() const {
    const auto rank = [&](Slot slot) {
      const Sequence& sequence = replica_.state().sequences[slot];
      return std::tuple(sequence.priority, sequence.arrival, sequence.request);
    };
    const auto preempted = [&](const Seen& seen) {
      return replica_.state().sequences[seen.slot].preemptions > seen.preemptions;
    };
    for (const Seen& victim : seen_) {
      if (!preempted(victim)) continue;
      for (const Seen& other : seen_) {
        if (preempted(other) || other.idle) continue;
        EXPECT_GT(rank(victim.slot), rank(other.slot));
      }
    }
  }

  const RandomRun& run_;
  ServingConfig config_;
  Replica replica_;
  Completions completions_;
  std::size_t added_ = 0;
  std::vector<Seen> seen_;
};

TEST(Replica, KeepsItsBlocksAndNeverPreemptsAHigherPriorityForALower) {
  const LinearStepPricer one({}, 1), two({}, 2), three({}, 3);
  const std::vector<const StepPricer*> pricers{&one, &two, &three};
  for (std::uint64_t number = 1; number <= kCases && !testing::Test::HasFailure(); ++number) {
    SCOPED_TRACE(testing::Message() << "case " << number);
    const RandomRun run = RandomDeployment(number, pricers).draw();
    WatchedEngine(run).play();
  }
}

}  // namespace
}  // namespace warploom
