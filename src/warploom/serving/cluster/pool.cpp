#include "warploom/serving/cluster/pool.h"

#include <algorithm>
#include <utility>

#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/kv/prefix_hash.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

constexpr std::int64_t kUnlimitedBlocks = std::int64_t(1) << 40;

}  // namespace

Pool::Pool(const PoolPlan& plan, const FleetRules& rules, const Workload& workload, const PoolRun& run)
    : plan_(plan),
      rules_(rules),
      options_{.role = run.role,
               .speculation = speculation_of(plan.config),
               .tiers = plan.tiers,
               .remote = run.remote,
               .remote_id = run.first_id,
               .seed = run.seed},
      workload_(workload),
      serves_(run.serves),
      step_time_(run.step_time),
      group_size_(plan.pricer->coupled_replicas()),
      kv_blocks_(plan.config.num_gpu_blocks_override.value_or(kUnlimitedBlocks)),
      routed_prefixes_(to_sim_duration(rules.routed_memory)),
      draws_(run.seed, "router") {
  const std::int64_t replicas = plan.config.data_parallel_size * plan.config.instances;
  for (std::int64_t i = 0; i < replicas / std::int64_t(group_size_); ++i)
    add_instance(InstanceState::Up, SimTime());
  list_open();
}

void Pool::add_instance(InstanceState state, SimTime now) {
  EngineOptions options = options_;
  options.remote_id += std::uint32_t(instances_.size() * group_size_);
  instances_.push_back({.group = ReplicaGroup(plan_.config, options, kv_blocks_, group_size_, *plan_.pricer,
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

void Pool::hash_prompt(const Arrival& arrival) {
  hashes_.clear();
  const KvCache& cache = instances_[0].group.replica(0).state().kv_cache;
  const auto content = workload_.content_of(arrival.request);
  if (content.empty() || !cache.keeps_prefixes()) return;
  shared_units_ = units_of_first_stretch(content, cache.unit_tokens());
  PrefixHasher hasher(content, cache.unit_tokens());
  hashes_.resize(std::size_t((arrival.input_tokens - 1) / cache.unit_tokens()));
  hasher.next(hashes_);
}

Pool::KnownUnits Pool::known_units(std::size_t replica, bool remembered, SimTime now) const {
  const KvCache& cache = replica_of(replica).state().kv_cache;
  const SimDuration delay = to_sim_duration(rules_.event_delay);
  KnownUnits known;
  const std::span<const std::uint64_t> kept = std::span(hashes_).first(cache.leading(hashes_, shared_units_));
  known.used = std::int64_t(cache.leading_in_use(kept, shared_units_));
  const auto is_told = [&](std::uint64_t hash) { return now - cache.since(cache.find(hash)) >= delay; };
  const bool at_once = delay <= SimDuration{};
  known.cached =
      at_once ? std::ssize(kept) : std::find_if_not(kept.begin(), kept.end(), is_told) - kept.begin();
  if (remembered) known.cached = std::int64_t(routed_prefixes_.known(replica, hashes_, now));
  return known;
}

bool in_turn(const ServingConfig& config) {
  if (config.routing_policy != RoutingPolicy::Engine)
    return config.routing_policy == RoutingPolicy::RoundRobin;
  return balance_of(config) == RoutingPolicy::RoundRobin;
}

std::optional<std::size_t> Pool::route(const Arrival& arrival, SimTime now) {
  if (open_.empty()) return std::nullopt;
  const RoutingPolicy policy = plan_.config.routing_policy;
  if (open_.size() == 1 && !looks_at_prefixes(policy)) return open_[0];
  if (in_turn(plan_.config)) return open_[routed_++ % open_.size()];
  const auto place = std::find(open_.begin(), open_.end(), std::uint32_t(arrival.latest));
  if (policy == RoutingPolicy::SessionSticky && arrival.latest >= 0 && place != open_.end())
    return std::size_t(arrival.latest);
  if (policy != RoutingPolicy::Engine) return choose(open_, policy, arrival, now);
  return choose(copy_in_turn(), balance_of(plan_.config), arrival, now);
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

std::size_t Pool::choose(std::span<const std::uint32_t> replicas, RoutingPolicy policy,
                         const Arrival& arrival, SimTime now) {
  hashes_.clear();
  if (looks_at_prefixes(policy)) hash_prompt(arrival);
  list_loads(replicas, policy, arrival, now);
  const std::size_t chosen = choose_load(policy, arrival);
  remember(replicas[chosen], policy, arrival, loads_[chosen], now);
  return replicas[chosen];
}

std::size_t Pool::choose_load(RoutingPolicy policy, const Arrival& arrival) {
  switch (policy) {
    case RoutingPolicy::Weighted:
      return choose_weighted(rules_, routed_++, loads_, arrival.input_tokens);
    case RoutingPolicy::KvCost:
      return choose_kv_cost(rules_, routed_++, rules_.temperature > 0 ? draws_.uniform() : 0, loads_,
                            arrival.prefilled ? 0 : arrival.input_tokens,
                            instances_[0].group.replica(0).state().kv_cache.block_size());
    case RoutingPolicy::CacheAware:
      return choose_cache_aware(rules_, loads_, arrival.input_tokens);
    default:
      return choose_replica(policy, routed_, loads_, -1);
  }
}

void Pool::list_loads(std::span<const std::uint32_t> replicas, RoutingPolicy policy, const Arrival& arrival,
                      SimTime now) {
  const bool remembered = policy == RoutingPolicy::CacheAware || rules_.remembers_routed;
  const bool as_seen = rules_.signal_interval.value() > 0 && !counts_own(policy);
  loads_.resize(replicas.size());
  if (shared_units_ < hashes_.size())
    for (const std::uint32_t replica : replicas)
      replica_of(replica).state().kv_cache.expect(hashes_[shared_units_]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    ReplicaLoad& load = loads_[i];
    if (as_seen)
      load = replicas[i] < seen_.size() ? seen_[replicas[i]] : ReplicaLoad{};  // started since
    else
      load = load_of(replicas[i]);
    const KvCache& cache = replica_of(replicas[i]).state().kv_cache;
    const KnownUnits known = hashes_.empty() ? KnownUnits{} : known_units(replicas[i], remembered, now);
    load.cached_tokens = known.cached * cache.unit_tokens();
    if (replicas[i] < cold_since_.size()) load.cold_since = cold_since_[replicas[i]];
    if (policy != RoutingPolicy::KvCost) continue;
    count_blocks(replicas[i], load);
    const double block = double(cache.block_size());
    load.used_blocks += double(arrival.input_tokens - known.used * cache.unit_tokens()) / block;
    if (arrival.prefilled)
      load.prompt_blocks = double(load.cached_tokens) / block;  // the prompt costs nothing
  }
}

void Pool::remember(std::size_t replica, RoutingPolicy policy, const Arrival& arrival,
                    const ReplicaLoad& load, SimTime now) {
  if (policy == RoutingPolicy::CacheAware || (rules_.remembers_routed && looks_at_prefixes(policy)))
    routed_prefixes_.add(replica, hashes_, now);
  if (policy == RoutingPolicy::KvCost) {
    if (found_tokens_.size() < workload_.requests.size()) found_tokens_.resize(workload_.requests.size());
    found_tokens_[arrival.request] = std::int32_t(load.cached_tokens);
  }
  const bool cold = policy == RoutingPolicy::Weighted && rules_.cold_weight > 0 &&
                    std::all_of(loads_.begin(), loads_.end(),
                                [](const ReplicaLoad& each) { return each.cached_tokens == 0; });
  if (!cold) return;
  if (replica >= cold_since_.size()) cold_since_.resize(replica + 1);
  cold_since_[replica] = routed_;
}

void Pool::count_blocks(std::size_t replica, ReplicaLoad& load) const {
  const SchedulerState& state = replica_of(replica).state();
  std::int64_t prompts = 0, used = -state.kv_cache.shared_uses() * state.kv_cache.unit_tokens();
  const auto count = [&](Slot slot, bool holds_blocks) {
    const Sequence& sequence = state.sequences[slot];
    const std::int32_t found = sequence.request < found_tokens_.size() ? found_tokens_[sequence.request] : 0;
    if (sequence.outputs_emitted == 0 && sequence.remote_tokens == 0)
      prompts += std::max(0, sequence.input_tokens - found);
    used += sequence.input_tokens - (holds_blocks ? 0 : std::min(found, sequence.input_tokens));
  };
  for (const Slot slot : state.waiting) count(slot, false);
  for (const Slot slot : state.fetching) count(slot, true);
  for (const Slot slot : state.running) count(slot, true);
  const double block = double(state.kv_cache.block_size());
  load.prompt_blocks = double(prompts) / block;
  load.used_blocks = double(std::max<std::int64_t>(0, used)) / block;
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

EngineLoad Pool::engine_load(const Instance& instance, std::size_t rank) const {
  const Replica& replica = instance.group.replica(rank);
  const SchedulerState& state = replica.state();
  EngineLoad load;
  for (const Slot slot : state.waiting) {
    const Sequence& sequence = state.sequences[slot];
    if (sequence.outputs_emitted > 0)
      load.queued_decode_tokens += sequence.input_tokens + sequence.outputs_emitted;
    else
      load.queued_prompt_tokens += sequence.input_tokens;
  }
  if (replica.in_flight() == 0) return load;
  const ScheduledBatch& batch = replica.latest();
  if (batch.empty()) return load;
  load.prompt_tokens = batch.chunk_tokens;
  load.prompts = std::ssize(batch.chunks);
  load.decode_tokens = batch.decode_context_sum;
  load.decoding = std::ssize(batch.decode_contexts);
  load.step = instance.group.latest_span();
  return load;
}

PoolLoad Pool::scaling_load(SimTime now) {
  PoolLoad load = this->load();
  load.at = now.seconds();
  load.arrived = std::exchange(arrived_, 0);
  load.role = serves_;
  load.step_tokens = max_num_batched_tokens_of(plan_.config);
  if (kv_blocks_ < kUnlimitedBlocks)
    load.cache_tokens = plan_.config.kv_layout.tokens(kv_blocks_, plan_.config.block_size.value_or(1));
  for (const Instance& instance : instances_) {
    load.starting += instance.state == InstanceState::Starting ? 1 : 0;
    if (instance.state != InstanceState::Up) continue;
    double used = 0, coming = 0;
    for (std::size_t rank = 0; rank < group_size_; ++rank) {
      load.engines.push_back(engine_load(instance, rank));
      const SchedulerState& state = instance.group.replica(rank).state();
      const KvCache& cache = state.kv_cache;
      const double blocks = double(cache.total_blocks());
      used += double(cache.used_blocks()) / blocks;
      for (const Slot slot : state.waiting)
        coming +=
            double(cache.layout().blocks(state.sequences[slot].input_tokens, 0, cache.block_size())) / blocks;
    }
    const double full = (used + coming) / double(group_size_);
    load.kv_use += used / double(group_size_);
    load.most_kv_load = std::max(load.most_kv_load, full);
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
    for (std::size_t rank = 0; rank < group_size_; ++rank)
      routed_prefixes_.forget(index * group_size_ + rank);
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
