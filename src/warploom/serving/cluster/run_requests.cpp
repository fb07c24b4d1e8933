// Requests on their way through the pools.
#include <algorithm>

#include "warploom/serving/cluster/encoder_pool.h"
#include "warploom/serving/cluster/run.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {

void Run::arrive(std::uint32_t request, SimTime now) {
  const WorkloadRequest& asked = workload_.requests[request];
  if (asked.rejected) {
    records_[request].rejected = true;
    ++ended_;
    tell_end(request);
    arrivals_.complete(request, now);
    return;
  }
  if (is_turned_away()) {
    records_[request].turned_away = true;
    ++ended_;
    tell_end(request);
    arrivals_.complete(request, now);
    return;
  }
  most_live_ = std::max(most_live_, ++live_);
  if (deployment_.rules.request_timeout.value() > 0)
    await(std::max(now, records_[request].arrival + to_sim_duration(deployment_.rules.request_timeout)),
          {.kind = EventKind::TimedOut, .request = request});
  submit({.request = request,
          .input_tokens = asked.input_tokens,
          .output_tokens = asked.output_tokens,
          .images = asked.images,
          .thinking_tokens = asked.thinking_tokens,
          .priority = asked.priority,
          .arrival = records_[request].queued});
}

void Run::submit(const EngineRequest& request) {
  if (encoders_ == nullptr || request.images == 0) return enter(request);
  if (encoders_->add(request.request, latest_)) {
    encoding_[request.request] = request;
    return;
  }
  EngineRequest encoded = request;
  encoded.encoded = true;
  enter(encoded);
}

void Run::enter(const EngineRequest& request) {
  EngineRequest first = request;
  // A pool that prefills computes one token more than the client has.
  if (deployment_.disaggregated()) first.output_tokens = request.outputs_before + 1;
  pools_[0].count_arrival();
  if (!place(0, first)) unplaced_[0].push_back(first);
}

bool Run::place(std::size_t pool, const EngineRequest& request) {
  const std::int32_t after = workload_.requests[request.request].after;
  const auto replica = pools_[pool].route({.request = request.request,
                                           .input_tokens = request.input_tokens,
                                           .latest = after >= 0 ? records_[std::size_t(after)].replica : -1},
                                          latest_);
  if (!replica) return false;
  records_[request.request].replica = std::int32_t(*replica);
  const Slot slot = pools_[pool].replica_of(*replica).add(request);
  if (tracks_slots_) slots_[request.request] = slot;
  touch(pool, *replica / pools_[pool].group_size());
  return true;
}

void Run::place_waiting(std::size_t pool) {
  std::deque<EngineRequest> waiting = std::exchange(unplaced_[pool], {});
  for (const EngineRequest& request : waiting) {
    const bool placed =
        pool == 0 ? place(0, request) : !handovers_.contains(request.request) || place_handover(request);
    if (!placed) unplaced_[pool].push_back(request);
  }
}

void Run::leave(std::size_t pool, const Sequence& sequence) {
  RequestRecord& record = records_[sequence.request];
  if (sequence.was_scheduled && !record.was_scheduled) {
    record.was_scheduled = true;
    record.taken_in = sequence.taken_in;
    record.scheduled = sequence.scheduled;
    record.cached_tokens = sequence.cached_tokens;
  }
  record.preemptions += sequence.preemptions;
  if (deployment_.disaggregated() && pool == 0) return;  // its tokens reach nobody
  record.first_token = sequence.first_token;
  record.last_token = sequence.last_token;
  record.first_answer = sequence.first_answer;
  record.tokens_emitted = sequence.outputs_emitted;
}

bool Run::is_turned_away() {
  const std::int64_t most = deployment_.rules.max_queued;
  if (most == 0) return false;
  const std::int64_t waiting = pools_[0].load().waiting + std::ssize(unplaced_[0]) + std::ssize(encoding_);
  return waiting >= most * std::max<std::int64_t>(1, pools_[0].open_instances());
}

void Run::end_unserved(std::uint32_t request, SimTime now) {
  are_over_[request] = true;
  ++ended_;
  --live_;
  tell_end(request);
  arrivals_.complete(request, now);
}

// Its steps go on where prefill and decode are apart. One on its way to an engine ends there with a token.
void Run::client_left(std::uint32_t request, SimTime now) {
  if (!tracks_slots_ || records_[request].replica < 0) return;
  time_out(request, now);
  start_steps(now);
}

// Only with one pool.
void Run::time_out(std::uint32_t request, SimTime now) {
  if (are_over_[request]) return;
  records_[request].timed_out = true;
  if (encoding_.erase(request) > 0) {
    encoders_->forget(request);
    return end_unserved(request, now);
  }
  if (std::erase_if(unplaced_[0], [&](const EngineRequest& r) { return r.request == request; }) > 0)
    return end_unserved(request, now);
  const auto replica = std::size_t(records_[request].replica);
  const Slot slot = slots_[request];
  Replica& engine = pools_[0].replica_of(replica);
  const Sequence sequence = engine.state().sequences[slot];
  if (!engine.abandon(slot)) return;  // it completes with a step to come
  leave(0, sequence);
  const std::size_t instance = replica / pools_[0].group_size();
  pools_[0].settle(instance, now);
  touch(0, instance);  // others may have waited behind it
  end_unserved(request, now);
}

// The prompt's keys and values stay where they are until a decoding engine has fetched them.
void Run::complete_prefill(SimTime now, const Sequence& sequence, Slot slot) {
  const std::uint32_t request = sequence.request;
  const WorkloadRequest& asked = workload_.requests[request];
  const RequestRecord& record = records_[request];
  const std::int32_t had = sequence.outputs_emitted - 1;
  // Nothing would be left to fetch of a prompt of one token.
  const bool once_more = engine_named(deployment_.pools[1].config.engine).decoder_gives_first_token &&
                         asked.input_tokens + had > 1;
  const std::int32_t coming = once_more ? 0 : 1;
  handovers_[request] = {.id = next_handover_++,
                         .prefill_replica = std::uint32_t(record.replica),
                         .prefill_slot = slot,
                         .prefill_began = sequence.scheduled};
  const EngineRequest rest{.request = request,
                           .input_tokens = asked.input_tokens,
                           .output_tokens = asked.output_tokens,
                           .thinking_tokens = asked.thinking_tokens,
                           .priority = asked.priority,
                           .outputs_before = had,
                           .outputs_coming = coming,
                           .remote_tokens = asked.input_tokens + had + coming - 1,
                           .arrival = now,
                           .first_token = record.first_token,
                           .last_token = record.last_token,
                           .first_answer = record.first_answer};
  pools_[1].count_arrival();
  if (!place_handover(rest)) unplaced_[1].push_back(rest);
}

bool Run::place_handover(const EngineRequest& request) {
  Handover& handover = handovers_.at(request.request);
  const std::int32_t after = workload_.requests[request.request].after;
  Pool& pool = pools_[1];
  const auto replica = pool.route({.request = request.request,
                                   .input_tokens = request.input_tokens,
                                   .latest = after >= 0 ? records_[std::size_t(after)].decode_replica : -1,
                                   .prefilled = true},
                                  latest_);
  if (!replica) return false;
  records_[request.request].decode_replica = std::int32_t(*replica);
  handover.decode_replica = std::uint32_t(*replica);
  handover.decode_slot = pool.replica_of(*replica).add(request);
  handover.placed = true;
  touch(1, *replica / pool.group_size());
  return true;
}

}  // namespace warploom
