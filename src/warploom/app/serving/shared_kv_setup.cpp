#include "warploom/app/serving/shared_kv_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/app/serving/kv_lookups.h"
#include "warploom/app/serving/kv_transfer_setup.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/replica/replica.h"

namespace warploom {
namespace {

LookupTime lookup_of(const std::optional<Seconds>& asked, const LookupTime& shipped) {
  return asked ? LookupTime{*asked, *asked, *asked} : shipped;
}

bool has_host_tier(const ServingConfig& config) {
  return config.kv_offloading_size.value_or(0) > 0 || config.enable_hierarchical_cache;
}

void check_scope(const SharedKv& asked) {
  const SharedKv usual;
  for (const Field& field : fields_of<SharedKv>().fields)
    if (field.get(&asked) != field.get(&usual))
      throw InvalidInput(fmt::format(
          "{}: instances share no caches, expected `kv_store_size` or `kv_peers` too", field.name));
}

void check_engine(const SharedKv& asked, const ServingConfig& config, const std::string& pool) {
  if (!config.enable_prefix_caching)
    throw InvalidInput(fmt::format("{}: {} keeps no prefixes, expected it without `no_enable_prefix_caching`",
                                   asked.store_size ? "kv_store_size" : "kv_peers", pool));
  if (asked.store_size && engine_named(config.engine).store_behind_host_memory && !has_host_tier(config))
    throw InvalidInput(fmt::format(
        "kv_store_size: {} reads a store through its host memory, expected `enable_hierarchical_cache` too",
        config.engine));
  if (asked.peers == KvPeers::Host && !has_host_tier(config))
    throw InvalidInput(
        "kv_peers: host is the host memory of other instances, expected `kv_offloading_size` (sglang: "
        "`enable_hierarchical_cache`) too, or any");
}

void check_units(const Deployment& deployment) {
  for (const PoolPlan& pool : deployment.pools) {
    const std::int64_t own = unit_tokens_of(pool.config), first = unit_tokens_of(deployment.pools[0].config);
    if (own != first)
      throw InvalidInput(fmt::format(
          "block_size: {} shares prefixes in units of {} tokens and {} of {}, expected the same in "
          "both, or neither `kv_store_size` nor `kv_peers`",
          deployment.pools[0].name, first, pool.name, own));
  }
}

void check_peers(const Deployment& deployment) {
  std::int64_t replicas = 0;
  for (const PoolPlan& pool : deployment.pools) {
    const std::int64_t first = pool.config.instances * pool.config.data_parallel_size;
    replicas += std::max(first, pool.autoscaling.max_instances);
  }
  if (replicas < 2)
    throw InvalidInput(
        "kv_peers: one replica has no others to read from, expected `instances` of at least 2");
}

}  // namespace

void set_at_end(SharedKvPlan& shared, StepTime step_time) {
  if (step_time == StepTime::Mid) return;
  const bool low = step_time == StepTime::Low;
  shared.store_latency = low ? shared.store_lookup.least : shared.store_lookup.most;
  shared.peer_latency = low ? shared.peer_lookup.least : shared.peer_lookup.most;
}

void set_shared_kv(Deployment& deployment, const std::vector<const ServingSetup*>& setups,
                   const SharedKv& asked) {
  if (!asked.any()) return check_scope(asked);
  if (asked.peers == KvPeers::None && asked.peer_latency)
    throw InvalidInput("kv_peer_latency_us: no peer is read, expected `kv_peers` host or any too");
  if (!asked.store_size && (asked.store_bandwidth || asked.store_latency))
    throw InvalidInput(
        fmt::format("{}: there is no store, expected `kv_store_size` too",
                    asked.store_bandwidth ? "kv_store_bandwidth_gb_per_s" : "kv_store_latency_us"));
  for (const PoolPlan& pool : deployment.pools) check_engine(asked, pool.config, pool.name);
  check_units(deployment);
  if (asked.peers != KvPeers::None) check_peers(deployment);
  const ServingSetup& first = *setups.front();
  SharedKvPlan& plan = deployment.shared_kv;
  plan.per_token = kv_footprint(first.model, Sharding{}, first.graph.kv_cache).per_token();
  plan.peers = asked.peers;
  plan.fetch = asked.fetch;
  plan.least_tokens =
      asked.least_tokens.value_or(engine_named(deployment.pools[0].config.engine).least_retrieved_tokens);
  plan.store_lookup = lookup_of(asked.store_latency, shipped_kv_lookups().store);
  plan.peer_lookup = lookup_of(asked.peer_latency, shipped_kv_lookups().peer);
  plan.store_latency = plan.store_lookup.usual;
  plan.peer_latency = plan.peer_lookup.usual;
  plan.store_bandwidth = asked.store_bandwidth.value_or(BytesPerSecond(0.0));
  if (asked.store_size) {
    const std::int64_t unit = unit_tokens_of(deployment.pools[0].config);
    plan.store_tokens = std::int64_t(gibibytes(*asked.store_size) / plan.per_token);
    if (plan.store_tokens < unit)
      throw InvalidInput(fmt::format("kv_store_size is {} GiB, expected at least the {:.3g} of {} tokens",
                                     *asked.store_size, double(unit) * plan.per_token / gibibytes(1), unit));
  }
  for (std::size_t i = 0; i < setups.size(); ++i)
    deployment.pools[i].cache_bandwidth =
        asked.network_bandwidth ? *asked.network_bandwidth : cache_bandwidth_of(*setups[i]);
}

}  // namespace warploom
