// What happens beside steps and arrivals: transfers, failures, restarts, scaling.
#include <algorithm>

#include "warploom/serving/cluster/cluster_caches.h"
#include "warploom/serving/cluster/run.h"

namespace warploom {

void Run::handle(const Event& event, SimTime now) {
  if (event.kind != EventKind::Scale) --awaited_;
  switch (event.kind) {
    case EventKind::Fetched:
      end_fetch(event, now);
      break;
    case EventKind::Failed:
      fail(event, now);
      break;
    case EventKind::Ready: {
      const Instance& instance = pools_[event.pool].instance(event.instance);
      if (instance.epoch != event.epoch) break;
      pools_[event.pool].recover(event.instance, now);
      place_waiting(event.pool);
      break;
    }
    case EventKind::Scale:
      scale(event.pool, now);
      break;
    case EventKind::TimedOut:
      time_out(event.request, now);
      break;
  }
}

void Run::begin_fetches(std::size_t pool_index, std::size_t replica, SimTime now) {
  Pool& pool = pools_[pool_index];
  Instance& instance = pool.instance_of(replica);
  Replica& engine = pool.replica_of(replica);
  for (const KvFetch& fetch : engine.take_fetches()) {
    Event event{.kind = EventKind::Fetched,
                .pool = std::uint32_t(pool_index),
                .instance = std::uint32_t(replica / pool.group_size()),
                .epoch = instance.epoch,
                .replica = std::uint32_t(replica),
                .slot = fetch.slot};
    const std::uint32_t request = engine.state().sequences[fetch.slot].request;
    const auto handover = handovers_.find(request);
    SimTime end;
    if (handover != handovers_.end()) {
      event.handover = handover->second.id;
      end = transfer(handover->second, fetch, now);
    } else {
      end = fetch_of(fetch, pool_index, replica, event, now);
    }
    await(end, event);
  }
}

// From the instance's own lower tiers and from outside it, at once: each has its link.
SimTime Run::fetch_of(const KvFetch& fetch, std::size_t pool, std::size_t replica, Event& event,
                      SimTime now) {
  Instance& instance = pools_[pool].instance_of(replica);
  SimTime end = now;
  if (fetch.cpu_tokens + fetch.disk_tokens > 0) {
    const KvTiers& tiers = *pools_[pool].replica_of(replica).state().tiers;
    const Seconds time = tiers.fetch_time(fetch.cpu_tokens, fetch.disk_tokens);
    end = instance.loading_until = std::max(now, instance.loading_until) + to_sim_duration(time);
    transfers_.reloaded_tokens += fetch.cpu_tokens + fetch.disk_tokens;
    transfers_.reload_wait += (end - now).seconds();
  }
  if (fetch.peer_tokens + fetch.store_tokens == 0) return end;
  if (fetch.peer_tokens > 0) {
    event.from_pool = fetch.peer >> ClusterCaches::kPoolShift;
    const std::size_t peer = fetch.peer & ((1U << ClusterCaches::kPoolShift) - 1);
    event.from_instance = std::uint32_t(peer / pools_[*event.from_pool].group_size());
    event.from_epoch = pools_[*event.from_pool].instance(event.from_instance).epoch;
    event.from_tokens = fetch.peer_tokens;
  }
  return std::max(end, caches_->begin(ClusterCaches::id_of(pool, replica), fetch));
}

void Run::write_units(std::size_t pool, std::size_t instance) {
  const std::size_t ranks = pools_[pool].group_size();
  for (std::size_t replica = instance * ranks; replica < (instance + 1) * ranks; ++replica) {
    Replica& engine = pools_[pool].replica_of(replica);
    if (engine.has_units()) caches_->write(ClusterCaches::id_of(pool, replica), engine.take_units());
  }
}

SimTime Run::transfer(const Handover& handover, const KvFetch& fetch, SimTime now) {
  const KvTransferPlan& plan = deployment_.transfer;
  Instance& from = pools_[0].instance_of(handover.prefill_replica);
  Instance& to = pools_[1].instance_of(handover.decode_replica);
  const Bytes bytes = plan.footprint.of_request(fetch.remote_tokens);
  const BytesPerSecond bandwidth = std::min(plan.prefill_bandwidth, plan.decode_bandwidth);
  const SimTime ready = now + to_sim_duration(plan.handshake);
  const SimTime begin = std::max({ready, from.sending_until, to.receiving_until});
  Seconds sending = bytes / bandwidth;
  if (plan.layerwise) {
    // While the prompt was computed, the link could carry what was there, but for the last layer.
    const SimTime free = std::max({handover.prefill_began, from.sending_until, to.receiving_until});
    const Seconds ahead = ready > free ? (ready - free).seconds() : Seconds(0.0);
    sending = std::max(sending / double(plan.layers), sending - ahead);
  }
  const SimTime end = begin + to_sim_duration(sending + plan.latency);
  from.sending_until = to.receiving_until = end;
  ++transfers_.count;
  transfers_.bytes += bytes;
  transfers_.wait += (end - now).seconds();
  transfers_.link_wait += (begin - ready).seconds();
  return end;
}

void Run::end_fetch(const Event& event, SimTime now) {
  Pool& pool = pools_[event.pool];
  if (pool.instance(event.instance).epoch != event.epoch) return;
  Replica& engine = pool.replica_of(event.replica);
  if (event.handover != 0) {
    const std::uint32_t request = engine.state().sequences[event.slot].request;
    const auto found = handovers_.find(request);
    if (found == handovers_.end() || found->second.id != event.handover) return;
    const std::uint32_t prefill_replica = found->second.prefill_replica;
    pools_[0].replica_of(prefill_replica).release_held(found->second.prefill_slot);
    handovers_.erase(found);
    const std::size_t prefill_instance = prefill_replica / pools_[0].group_size();
    pools_[0].settle(prefill_instance, now);
    touch(0, prefill_instance);
  }
  current_pool_ = event.pool;
  touch(event.pool, event.instance);
  if (event.from_pool && pools_[*event.from_pool].instance(event.from_instance).epoch != event.from_epoch) {
    caches_->count_lost(event.from_tokens);
    engine.fetch_lost(event.slot);
    return;
  }
  engine.fetched(event.slot, now, *this);
}

void Run::restart_request(std::size_t pool, const Sequence& sequence) {
  const std::uint32_t request = sequence.request;
  const auto handover = handovers_.find(request);
  if (handover != handovers_.end()) {
    const Handover lost = handover->second;
    handovers_.erase(handover);
    if (pool == 0) {
      if (lost.placed) {
        pools_[1].replica_of(lost.decode_replica).cancel(lost.decode_slot);
        touch(1, lost.decode_replica / pools_[1].group_size());  // others may have waited for its blocks
      }
      std::erase_if(unplaced_[1], [&](const EngineRequest& r) { return r.request == request; });
    } else {
      pools_[0].replica_of(lost.prefill_replica).release_held(lost.prefill_slot);
      touch(0, lost.prefill_replica / pools_[0].group_size());
    }
  }
  const WorkloadRequest& asked = workload_.requests[request];
  RequestRecord& record = records_[request];
  ++record.restarts;
  submit({.request = request,
          .input_tokens = asked.input_tokens,
          .output_tokens = asked.output_tokens,
          .images = asked.images,
          .thinking_tokens = asked.thinking_tokens,
          .priority = asked.priority,
          .outputs_before = record.tokens_emitted,
          .arrival = record.queued,
          .first_token = record.first_token,
          .last_token = record.last_token,
          .first_answer = record.first_answer});
}

void Run::fail(const Event& event, SimTime now) {
  Pool& pool = pools_[event.pool];
  if (event.instance >= pool.size()) return;  // not started so far
  Instance& instance = pool.instance(event.instance);
  if (instance.state == InstanceState::Down) return;
  ++instance.epoch;
  pool.set_state(event.instance, InstanceState::Down, now);
  if (caches_ != nullptr)
    caches_->forget_writer(ClusterCaches::id_of(event.pool, event.instance * pool.group_size()));
  std::vector<Sequence> lost;
  for (std::size_t rank = 0; rank < pool.group_size(); ++rank) {
    const Replica& engine = instance.group.replica(rank);
    for (const Slot slot : engine.all_slots()) lost.push_back(engine.state().sequences[slot]);
  }
  instance.group.reset(now);
  instance.sending_until = instance.receiving_until = instance.loading_until = now;
  // In the order in which they came, whatever each was doing.
  std::sort(lost.begin(), lost.end(),
            [](const Sequence& a, const Sequence& b) { return a.request < b.request; });
  for (const Sequence& sequence : lost) {
    if (!sequence.done) leave(event.pool, sequence);
    if (records_[sequence.request].timed_out)
      end_unserved(sequence.request, now);
    else
      restart_request(event.pool, sequence);
  }
  if (event.down)
    await(
        now + *event.down,
        {.kind = EventKind::Ready, .pool = event.pool, .instance = event.instance, .epoch = instance.epoch});
}

void Run::scale(std::size_t pool_index, SimTime now) {
  Pool& pool = pools_[pool_index];
  const AutoscalingConfig& config = pool.plan().autoscaling;
  PoolLoad load = pool.scaling_load(now);
  load.waiting += std::ssize(unplaced_[pool_index]);
  ++idle_looks_;
  for (const std::size_t started : pool.scale_to(scaling_[pool_index]->wanted(load), now)) {
    idle_looks_ = 0;
    await(now + to_sim_duration(config.startup), {.kind = EventKind::Ready,
                                                  .pool = std::uint32_t(pool_index),
                                                  .instance = std::uint32_t(started),
                                                  .epoch = pool.instance(started).epoch});
  }
  place_waiting(pool_index);
  await(now + to_sim_duration(config.interval),
        {.kind = EventKind::Scale, .pool = std::uint32_t(pool_index)});
}

}  // namespace warploom
