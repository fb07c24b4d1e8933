#include "warploom/serving/cluster/cluster_caches.h"

#include <algorithm>

namespace warploom {

ClusterCaches::ClusterCaches(const SharedKvPlan& plan, std::int64_t unit_tokens, std::deque<Pool>& pools)
    : plan_(plan), unit_tokens_(unit_tokens), pools_(pools), store_(plan.store_tokens / unit_tokens) {}

std::uint32_t ClusterCaches::instance_id(std::uint32_t id) const {
  return id_of(pool_of(id), replica_of(id) / pools_[pool_of(id)].group_size());
}

bool ClusterCaches::holds(const SchedulerState& state, std::uint64_t hash) const {
  if (state.tiers != nullptr && state.tiers->in_host_memory(hash)) return true;
  return plan_.peers == KvPeers::Any && state.kv_cache.find(hash) != KvCache::kNoUnit;
}

std::size_t ClusterCaches::leading(const SchedulerState& state, std::span<const std::uint64_t> hashes,
                                   std::size_t least) const {
  // Whoever lacks the next one has no more than `least`: most are done with one look-up.
  if (least >= hashes.size() || !holds(state, hashes[least])) return 0;
  if (state.tiers == nullptr || state.tiers->host_units() == 0)
    return plan_.peers == KvPeers::Any ? state.kv_cache.leading(hashes, least + 1) : 0;
  std::size_t at = 0;
  while (at < hashes.size() && holds(state, hashes[at])) ++at;
  return at;
}

void ClusterCaches::find_peer(std::uint32_t asker, std::span<const std::uint64_t> hashes, std::size_t from,
                              RemoteMatch& match) {
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    Pool& pool = pools_[p];
    for (std::size_t r = 0; r < pool.size() * pool.group_size(); ++r) {
      const InstanceState up = pool.instance_of(r).state;
      const bool serves = up == InstanceState::Up || up == InstanceState::Draining;
      if (!serves || id_of(p, r) == asker) continue;
      const SchedulerState& state = pool.replica_of(r).state();
      const auto units = std::int32_t(leading(state, hashes.subspan(from), std::size_t(match.peer_units)));
      if (units <= match.peer_units) continue;
      match.peer = id_of(p, r);
      match.peer_units = units;
    }
  }
  if (match.peer_units == 0) return;
  const SchedulerState& state = pools_[pool_of(match.peer)].replica_of(replica_of(match.peer)).state();
  for (std::int32_t i = 0; state.tiers != nullptr && i < match.peer_units; ++i)
    state.tiers->touch(hashes[from + std::size_t(i)]);
}

RemoteMatch ClusterCaches::find(std::uint32_t asker, std::span<const std::uint64_t> hashes,
                                std::size_t from) {
  RemoteMatch match;
  if (plan_.peers != KvPeers::None) find_peer(asker, hashes, from, match);
  std::size_t at = from + std::size_t(match.peer_units);
  for (; at < hashes.size() && store_.find(hashes[at], now_); ++at) ++match.store_units;
  return match;
}

bool ClusterCaches::fetches(std::uint32_t asker, const RemoteMatch& match, std::int64_t unit_tokens,
                            std::optional<Seconds> computing) const {
  const std::int64_t tokens = match.units() * unit_tokens;
  if (tokens == 0 || tokens < plan_.least_tokens) return false;
  if (plan_.fetch == KvFetchRule::Always || !computing) return true;
  // As begin() would have it now, the queues of the links included.
  const Instance& to = pools_[pool_of(asker)].instance_of(replica_of(asker));
  SimTime begin = std::max(now_, to.receiving_until);
  if (match.peer_units > 0)
    begin = std::max(begin, pools_[pool_of(match.peer)].instance_of(replica_of(match.peer)).sending_until);
  const Bytes bytes = double(tokens) * plan_.per_token;
  Seconds time = (begin - now_).seconds() + bytes / bandwidth_of(asker);
  if (match.store_units > 0 && plan_.store_bandwidth.value() > 0) {
    const Bytes of_store = double(match.store_units * unit_tokens) * plan_.per_token;
    const Seconds queue = (std::max(now_, store_sends_until_) - now_).seconds();
    time = std::max(time, queue + of_store / plan_.store_bandwidth);
  }
  time += std::max(match.peer_units > 0 ? plan_.peer_latency : Seconds(0.0),
                   match.store_units > 0 ? plan_.store_latency : Seconds(0.0));
  return time < *computing;
}

SimTime ClusterCaches::begin(std::uint32_t asker, const KvFetch& fetch) {
  SimTime end = now_;
  if (fetch.peer_tokens > 0) end = std::max(end, read_peer(asker, fetch.peer, fetch.peer_tokens));
  if (fetch.store_tokens > 0) end = std::max(end, read_store(asker, fetch.store_tokens));
  totals_.wait += (end - now_).seconds();
  return end;
}

SimTime ClusterCaches::read_peer(std::uint32_t asker, std::uint32_t peer, std::int64_t tokens) {
  Instance &from = instance_of(peer), &to = instance_of(asker);
  const Bytes bytes = double(tokens) * plan_.per_token;
  totals_.peer_tokens += tokens;
  totals_.peer_bytes += bytes;
  const SimDuration latency = to_sim_duration(plan_.peer_latency);
  if (&from == &to) return now_ + latency;  // ranks of one instance: no network between them
  const SimTime begin = std::max({now_, from.sending_until, to.receiving_until});
  const BytesPerSecond bandwidth = std::min(bandwidth_of(peer), bandwidth_of(asker));
  from.sending_until = to.receiving_until = begin + to_sim_duration(bytes / bandwidth);
  totals_.link_wait += (begin - now_).seconds();
  return to.receiving_until + latency;
}

SimTime ClusterCaches::through_store(SimTime& busy_until, Bytes bytes) const {
  if (!(plan_.store_bandwidth.value() > 0)) return now_;
  busy_until = std::max(now_, busy_until) + to_sim_duration(bytes / plan_.store_bandwidth);
  return busy_until;
}

SimTime ClusterCaches::read_store(std::uint32_t asker, std::int64_t tokens) {
  Instance& to = instance_of(asker);
  const Bytes bytes = double(tokens) * plan_.per_token;
  totals_.store_read_tokens += tokens;
  totals_.store_read_bytes += bytes;
  const Seconds own = bytes / bandwidth_of(asker);
  to.receiving_until = std::max(now_, to.receiving_until) + to_sim_duration(own);
  const SimTime carried = std::max(to.receiving_until, through_store(store_sends_until_, bytes));
  Seconds alone = own;
  if (plan_.store_bandwidth.value() > 0) alone = std::max(own, bytes / plan_.store_bandwidth);
  totals_.link_wait += std::max(Seconds(0.0), (carried - now_).seconds() - alone);
  return carried + to_sim_duration(plan_.store_latency);
}

void ClusterCaches::write(std::uint32_t replica, std::span<const std::uint64_t> hashes) {
  if (store_.capacity() <= 0) return;
  Instance& from = instance_of(replica);
  const Bytes unit = double(unit_tokens_) * plan_.per_token;
  for (const std::uint64_t hash : hashes) {
    if (store_.touch(hash)) continue;
    from.sending_until = std::max(now_, from.sending_until) + to_sim_duration(unit / bandwidth_of(replica));
    const SimTime carried = std::max(from.sending_until, through_store(store_receives_until_, unit));
    store_.add(hash, instance_id(replica), carried);
    totals_.store_written_bytes += unit;
  }
}

SharedKvTotals ClusterCaches::totals() const {
  SharedKvTotals totals = totals_;
  totals.store_capacity_units = store_.capacity();
  totals.store_units = store_.size();
  totals.store_written_units = store_.added();
  totals.store_evicted_units = store_.evicted();
  totals.store_dropped_units = store_.dropped();
  return totals;
}

}  // namespace warploom
