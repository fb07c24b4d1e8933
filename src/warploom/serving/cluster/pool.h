// The instances of one pool: which of them take requests, where a request goes, and how the pool grows,
// shrinks and fails. Replica r of a pool is rank r % group_size() of instance r / group_size().
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/replica/replica_group.h"
#include "warploom/serving/routing/routed_prefixes.h"
#include "warploom/serving/routing/router.h"
#include "warploom/serving/simulation_result.h"

namespace warploom {

// Starting and Down take no requests and hold none; Draining holds some and takes none.
enum class InstanceState { Starting, Up, Draining, Down };

struct Instance {
  ReplicaGroup group;
  InstanceState state = InstanceState::Up;
  std::uint32_t epoch = 0;  // failures so far: events of an earlier one are void
  bool touched = false;     // may start a step now
  bool released = false;    // Down because it was not wanted: may start again
  SimTime since;            // of its latest start
  SimDuration served{};     // from starts to stops, the latest start left out
  SimTime sending_until, receiving_until, loading_until;  // its links are busy
};

// Whether requests go to a pool's replicas in turn, whatever these do.
bool in_turn(const ServingConfig& config);

// How the instances of a pool run, whatever serves.
struct PoolRun {
  EngineRole role = EngineRole::Whole;
  PoolRole serves = PoolRole::Whole;
  std::uint64_t seed = 1;
  StepTime step_time = StepTime::Mid;
  RemoteCaches* remote = nullptr;  // caches outside the instances; null: none
  std::uint32_t first_id = 0;      // of the first replica there
};

class Pool {
 public:
  Pool(const PoolPlan& plan, const FleetRules& rules, const Workload& workload, const PoolRun& run);

  std::size_t size() const { return instances_.size(); }
  std::size_t group_size() const { return group_size_; }
  Instance& instance(std::size_t index) { return instances_[index]; }
  Instance& instance_of(std::size_t replica) { return instances_[replica / group_size_]; }
  Replica& replica_of(std::size_t replica) {
    return instance_of(replica).group.replica(replica % group_size_);
  }
  const Replica& replica_of(std::size_t replica) const {
    return instances_[replica / group_size_].group.replica(replica % group_size_);
  }
  const PoolPlan& plan() const { return plan_; }

  // Tokens of a unit of its prefix caches; 0 where prefixes are not kept.
  std::int64_t unit_tokens() const {
    const KvCache& cache = replica_of(0).state().kv_cache;
    return cache.keeps_prefixes() ? cache.unit_tokens() : 0;
  }
  // A request on its way to a replica. `latest` is the replica that served the session's turn before, -1 for
  // none; `prefilled`: another pool has computed its prompt.
  struct Arrival {
    std::uint32_t request = 0;
    std::int32_t input_tokens = 0;
    std::int32_t latest = -1;
    bool prefilled = false;
  };
  // The replica for a request; absent when no instance takes any. O(1) for round robin, else O(replicas).
  std::optional<std::size_t> route(const Arrival& arrival, SimTime now);

  // The router sees the load at every multiple of FleetRules::signal_interval. To be called before anything
  // changes at `now`.
  void look(SimTime now);

  PoolLoad load() const;
  // The same with what autoscaling asks for. `arrived` counts from the call before.
  PoolLoad scaling_load(SimTime now);
  void count_arrival() { ++arrived_; }
  std::int64_t open_instances() const { return std::int64_t(open_.size() / group_size_); }
  // Instances to start (those drain no more that did, and those that were released come back); the others
  // begin to drain. Returns the indices of the instances that begin to start.
  std::vector<std::size_t> scale_to(std::int64_t wanted, SimTime now);
  void set_state(std::size_t index, InstanceState state, SimTime now);
  // An instance that failed is there again; it serves unless the pool has all that it may have.
  void recover(std::size_t index, SimTime now);
  // A draining instance that has nothing left goes down.
  void settle(std::size_t index, SimTime now);
  // GPU-seconds over all instances up to `now`.
  Seconds served(SimTime now) const;
  std::vector<HeldGpus> held(SimTime now) const;
  std::int64_t blocks() const;  // of the instances that are not down; 0 without limit
  // Instances that were not down at one moment, at most.
  std::int64_t most_instances() const { return most_alive_; }

 private:
  std::int64_t gpus_of_instance() const { return plan_.config.gpus_of(std::int64_t(group_size_)); }
  void add_instance(InstanceState state, SimTime now);
  void list_open();
  void count_alive(std::int64_t change);
  // The replicas of one copy of the engine that take requests: copies have their turn one after the other.
  std::span<const std::uint32_t> copy_in_turn();
  std::size_t choose(std::span<const std::uint32_t> replicas, RoutingPolicy policy, const Arrival& arrival,
                     SimTime now);
  // Fills loads_ for `replicas`.
  void list_loads(std::span<const std::uint32_t> replicas, RoutingPolicy policy, const Arrival& arrival,
                  SimTime now);
  std::size_t choose_load(RoutingPolicy policy, const Arrival& arrival);
  // Notes where a request goes, as far as the policy remembers it.
  void remember(std::size_t replica, RoutingPolicy policy, const Arrival& arrival, const ReplicaLoad& load,
                SimTime now);
  EngineLoad engine_load(const Instance& instance, std::size_t rank) const;
  // Load alone, without what is cached.
  ReplicaLoad load_of(std::size_t replica) const;
  // What RoutingPolicy::KvCost counts, without the prompt at hand.
  void count_blocks(std::size_t replica, ReplicaLoad& load) const;
  void hash_prompt(const Arrival& arrival);
  // Units from the start of the prompt in hashes_ that the router knows a replica to have, and those that
  // running requests use there.
  struct KnownUnits {
    std::int64_t cached = 0, used = 0;
  };
  KnownUnits known_units(std::size_t replica, bool remembered, SimTime now) const;

  PoolPlan plan_;
  FleetRules rules_;
  EngineOptions options_;
  const Workload& workload_;
  PoolRole serves_;
  StepTime step_time_;
  std::size_t group_size_;
  std::int64_t kv_blocks_;
  std::deque<Instance> instances_;     // addresses stay
  std::vector<std::uint32_t> open_;    // replicas that take requests
  std::vector<ReplicaLoad> loads_;     // of route, kept for its memory
  std::vector<std::uint64_t> hashes_;  // of the prompt at hand, by unit
  std::size_t shared_units_ = 0;       // that other prompts probably begin with too
  RoutedPrefixes routed_prefixes_;
  std::vector<std::uint64_t> cold_since_;   // by replica, see ReplicaLoad
  std::vector<std::int32_t> found_tokens_;  // by request: known to be cached when it was sent; of KvCost
  RandomStream draws_;
  std::vector<ReplicaLoad> seen_;  // by replica, at the router's latest look
  std::int64_t looks_ = -1;        // multiples of the interval by then
  std::uint64_t routed_ = 0;       // requests so far
  std::int64_t arrived_ = 0;       // requests since the latest look of autoscaling
  std::int64_t alive_ = 0, most_alive_ = 0;
  std::vector<HeldGpus> held_;  // of instances that stopped
};

}  // namespace warploom
