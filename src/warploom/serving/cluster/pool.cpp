#include "warploom/serving/cluster/pool.h"

#include <algorithm>

#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/kv/prefix_hash.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

constexpr std::int64_t kUnlimitedBlocks = std::int64_t(1) << 40;

}  // namespace

Pool::Pool(const PoolPlan& plan, const FleetRules& rules, EngineRole role, const Workload& workload,
           std::uint64_t seed, StepTime step_time)
    : plan_(plan),
      rules_(rules),
      options_{.role = role, .speculation = speculation_of(plan.config), .tiers = plan.tiers, .seed = seed},
      workload_(workload),
      step_time_(step_time),
      group_size_(plan.pricer->coupled_replicas()),
      kv_blocks_(plan.config.num_gpu_blocks_override.value_or(kUnlimitedBlocks)) {
  const std::int64_t replicas = plan.config.data_parallel_size * plan.config.instances;
  for (std::int64_t i = 0; i < replicas / std::int64_t(group_size_); ++i)
    add_instance(InstanceState::Up, SimTime());
  list_open();
}

void Pool::add_instance(InstanceState state, SimTime now) {
  instances_.push_back({.group = ReplicaGroup(plan_.config, options_, kv_blocks_, group_size_, *plan_.pricer,
                                              step_time_, &workload_),
                        .state = state,
                        .since = now});
  count_alive(1);
}

void Pool::count_alive(std::int64_t change) {
  alive_ += change;
  most_alive_ = std::max(most_alive_, alive_);
}

void Pool::list_open() {
  open_.clear();
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (instances_[i].state != InstanceState::Up) continue;
    for (std::size_t rank = 0; rank < group_size_; ++rank)
      open_.push_back(std::uint32_t(i * group_size_ + rank));
  }
}

std::vector<std::uint64_t> Pool::prefix_hashes(std::uint32_t request, std::int32_t input_tokens) const {
  const KvCache& cache = instances_[0].group.replica(0).state().kv_cache;
  const auto content = workload_.content_of(request);
  if (content.empty() || !cache.keeps_prefixes()) return {};
  PrefixHasher hasher(content, cache.unit_tokens());
  std::vector<std::uint64_t> hashes(std::size_t((input_tokens - 1) / cache.unit_tokens()));
  for (std::uint64_t& hash : hashes) hash = hasher.next();
  return hashes;
}

bool in_turn(const ServingConfig& config) {
  if (config.routing_policy != RoutingPolicy::Engine)
    return config.routing_policy == RoutingPolicy::RoundRobin;
  return balance_of(config) == RoutingPolicy::RoundRobin;
}

std::optional<std::size_t> Pool::route(std::uint32_t request, std::int32_t input_tokens,
                                       std::int32_t latest) {
  if (open_.empty()) return std::nullopt;
  if (open_.size() == 1) return open_[0];
  if (in_turn(plan_.config)) return open_[routed_++ % open_.size()];
  const RoutingPolicy policy = plan_.config.routing_policy;
  const auto place = std::find(open_.begin(), open_.end(), std::uint32_t(latest));
  if (policy == RoutingPolicy::SessionSticky && latest >= 0 && place != open_.end())
    return std::size_t(latest);
  if (policy != RoutingPolicy::Engine) return choose(open_, policy, request, input_tokens);
  return choose(copy_in_turn(), balance_of(plan_.config), request, input_tokens);
}

std::span<const std::uint32_t> Pool::copy_in_turn() {
  const auto ranks = std::uint32_t(plan_.config.data_parallel_size);
  const auto end_of_copy = [&](std::size_t begin) {
    std::size_t end = begin;
    while (end < open_.size() && open_[end] / ranks == open_[begin] / ranks) ++end;
    return end;
  };
  std::size_t copies = 0;
  for (std::size_t i = 0; i < open_.size(); i = end_of_copy(i)) ++copies;
  std::size_t begin = 0;
  for (std::size_t skipped = routed_++ % copies; skipped > 0; --skipped) begin = end_of_copy(begin);
  return std::span(open_).subspan(begin, end_of_copy(begin) - begin);
}

std::size_t Pool::choose(std::span<const std::uint32_t> replicas, RoutingPolicy policy, std::uint32_t request,
                         std::int32_t input_tokens) {
  const bool by_prefix = policy == RoutingPolicy::PrefixAware || policy == RoutingPolicy::Weighted;
  const auto hashes = by_prefix ? prefix_hashes(request, input_tokens) : std::vector<std::uint64_t>{};
  loads_.resize(replicas.size());
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const KvCache& cache = replica_of(replicas[i]).state().kv_cache;
    const auto missing = std::find_if(hashes.begin(), hashes.end(), [&](std::uint64_t hash) {
      return cache.find(hash) == KvCache::kNoUnit;
    });
    if (rules_.signal_interval.value() > 0)
      loads_[i] = replicas[i] < seen_.size() ? seen_[replicas[i]] : ReplicaLoad{};  // started since
    else
      loads_[i] = load_of(replicas[i]);
    loads_[i].cached_tokens = (missing - hashes.begin()) * cache.unit_tokens();
  }
  if (policy == RoutingPolicy::Weighted)
    return replicas[choose_weighted(rules_, routed_++, loads_, input_tokens)];
  return replicas[choose_replica(policy, routed_, loads_, -1)];
}

ReplicaLoad Pool::load_of(std::size_t replica) const {
  const Replica& engine = replica_of(replica);
  const SchedulerState& state = engine.state();
  return {.live = std::int64_t(engine.live()),
          .waiting = std::ssize(state.waiting),
          .kv_use = double(state.kv_cache.used_blocks()) / double(kv_blocks_)};
}

void Pool::look(SimTime now) {
  if (!(rules_.signal_interval.value() > 0)) return;
  const std::int64_t looks = now.nanoseconds() / to_sim_duration(rules_.signal_interval).nanoseconds();
  if (looks == looks_) return;
  looks_ = looks;
  seen_.resize(instances_.size() * group_size_);
  for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i] = load_of(i);
}

PoolLoad Pool::load() const {
  PoolLoad load;
  for (const Instance& instance : instances_) {
    if (instance.state == InstanceState::Up || instance.state == InstanceState::Starting) ++load.instances;
    for (std::size_t rank = 0; rank < group_size_; ++rank) {
      const SchedulerState& state = instance.group.replica(rank).state();
      load.waiting += std::ssize(state.waiting);
      load.running += std::ssize(state.running) + std::ssize(state.fetching);
    }
  }
  return load;
}

void Pool::set_state(std::size_t index, InstanceState state, SimTime now) {
  Instance& instance = instances_[index];
  const bool was_down = instance.state == InstanceState::Down;
  if (was_down && state != InstanceState::Down) {
    instance.since = now;
    instance.released = false;
    count_alive(1);
  }
  if (!was_down && state == InstanceState::Down) {
    instance.served += now - instance.since;
    held_.push_back({instance.since, now, gpus_of_instance()});
    count_alive(-1);
  }
  instance.state = state;
  list_open();
}

std::vector<std::size_t> Pool::scale_to(std::int64_t wanted, SimTime now) {
  std::vector<std::size_t> started;
  std::int64_t missing = wanted - load().instances;
  for (std::size_t i = 0; i < instances_.size() && missing > 0; ++i) {
    if (instances_[i].state != InstanceState::Draining) continue;
    set_state(i, InstanceState::Up, now);
    --missing;
  }
  for (std::size_t i = 0; i < instances_.size() && missing > 0; ++i) {
    if (!instances_[i].released) continue;
    instances_[i].group.reset(now);  // it starts with nothing in its caches
    set_state(i, InstanceState::Starting, now);
    started.push_back(i);
    --missing;
  }
  for (; missing > 0; --missing) {
    add_instance(InstanceState::Starting, now);
    started.push_back(instances_.size() - 1);
  }
  for (std::size_t i = instances_.size(); i-- > 0 && missing < 0;) {
    if (instances_[i].state != InstanceState::Up) continue;
    set_state(i, InstanceState::Draining, now);
    settle(i, now);
    ++missing;
  }
  return started;
}

void Pool::settle(std::size_t index, SimTime now) {
  Instance& instance = instances_[index];
  if (instance.state != InstanceState::Draining || !instance.group.idle()) return;
  set_state(index, InstanceState::Down, now);
  instance.released = true;
}

void Pool::recover(std::size_t index, SimTime now) {
  const AutoscalingConfig& scaling = plan_.autoscaling;
  if (instances_[index].state == InstanceState::Down && scaling.on() && alive_ >= scaling.max_instances) {
    instances_[index].released = true;  // another took its place
    return;
  }
  set_state(index, InstanceState::Up, now);
}

std::vector<HeldGpus> Pool::held(SimTime now) const {
  std::vector<HeldGpus> held = held_;
  for (const Instance& instance : instances_)
    if (instance.state != InstanceState::Down) held.push_back({instance.since, now, gpus_of_instance()});
  return held;
}

Seconds Pool::served(SimTime now) const {
  SimDuration sum;
  for (const Instance& instance : instances_) {
    sum += instance.served;
    if (instance.state != InstanceState::Down) sum += now - instance.since;
  }
  return sum.seconds() * double(gpus_of_instance());
}

std::int64_t Pool::blocks() const {
  if (!plan_.config.num_gpu_blocks_override) return 0;
  const auto alive = std::count_if(instances_.begin(), instances_.end(), [](const Instance& instance) {
    return instance.state != InstanceState::Down;
  });
  return alive * std::int64_t(group_size_) * kv_blocks_;
}

}  // namespace warploom
