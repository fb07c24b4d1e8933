// One replica of an inference engine: its sequences, its scheduler and its KV cache, without a clock. The
// simulation tells it when steps start and end.
//
// Life of a step: start() chooses tokens and books them as computed, so that a second step may be chosen
// before the first ends (async scheduling); finish() ends the oldest step, emits its tokens and retires
// completed sequences. A sequence whose keys and values lie elsewhere leaves the queue with a KvFetch, which
// the simulation times and ends with fetched().
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "warploom/serving/batching/rank_balance.h"
#include "warploom/serving/batching/scheduler.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/replica/batch_queue.h"

namespace warploom {

// Sees tokens and completions as they happen, in order of time.
class EngineObserver {
 public:
  virtual ~EngineObserver() = default;
  // `count` times, tokens of other than first rank came `gap` after the previous ones of their request.
  virtual void on_token_gaps(SimDuration gap, std::int64_t count) = 0;
  virtual void on_tokens(SimTime now, std::int64_t count) = 0;
  // The sequence has all it was to compute here. In a Prefill engine its blocks stay until release_held.
  virtual void on_completion(SimTime now, const Sequence& sequence, Slot slot) = 0;
  // Whether on_outputs is told of each sequence's tokens; asked once a step.
  virtual bool watches_outputs() const { return false; }
  virtual void on_outputs(const Sequence&, std::int32_t /*tokens*/) {}
};

// Prefill engines give their one token to nobody and keep the blocks for the engine that decodes.
enum class EngineRole { Whole, Prefill };

// Tokens of a unit of the prefix cache, where prefixes are kept.
std::int64_t unit_tokens_of(const ServingConfig& config);

struct EngineOptions {
  EngineRole role = EngineRole::Whole;
  SpeculativeConfig speculation;
  KvTierConfig tiers;
  RemoteCaches* remote = nullptr;  // caches outside the instance; null: none
  std::uint32_t remote_id = 0;     // of the first replica of a group there
  std::uint64_t seed = 1;          // of drafts' acceptance
};

class Replica {
 public:
  // kv_blocks >= 1; `workload` (may be null) says what prompts share and must outlive the engine. Throws
  // NotFound on an unknown engine name.
  Replica(const ServingConfig& config, std::int64_t kv_blocks, const Workload* workload,
          const EngineOptions& options = {});

  // A request reaches the queue.
  Slot add(const EngineRequest& request);

  // What the next step could hold, for the balance of a group; and its answer.
  RankLoad load() const;
  void let_prompts_wait(bool wait) { state_.prompts_wait = wait; }
  // Chooses the next step; false (and nothing in flight added) when there is nothing to run.
  bool start(SimTime now);
  // The step chosen last. Valid until the next start().
  const ScheduledBatch& latest() const { return in_flight_.back(); }
  // An empty step, for a replica that waits for its group.
  void start_idle();
  // Ends the oldest step in flight.
  void finish(SimTime now, EngineObserver& observer);

  // What start() sent fetching since the last call.
  std::vector<KvFetch> take_fetches() { return std::exchange(state_.new_fetches, {}); }
  bool has_fetches() const { return !state_.new_fetches.empty(); }
  void fetched(Slot slot, SimTime now, EngineObserver& observer);
  // What was to be fetched is lost with the instance that sent it: the sequence waits with nothing.
  void fetch_lost(Slot slot) { state_.end_fetch(slot, false); }
  // Units computed since the last call, where a store is told of them.
  std::vector<std::uint64_t> take_units() { return std::exchange(state_.new_units, {}); }
  bool has_units() const { return !state_.new_units.empty(); }
  // Frees what a Prefill engine kept.
  void release_held(Slot slot);
  // Takes a sequence that waits or fetches out.
  void cancel(Slot slot);
  // Its client left. True: it waited and is out. Else it runs, is being fetched or was stopped with tokens
  // under way: it ends with those, or with the next one.
  bool abandon(Slot slot);
  // Every sequence that is here, held ones included.
  std::vector<Slot> all_slots() const;
  // The GPU time of the step chosen last is known.
  void see_price(Seconds gpu);

  std::size_t in_flight() const { return in_flight_.size(); }
  // Requests that are queued or running.
  std::size_t live() const { return state_.waiting.size() + state_.running.size() + state_.fetching.size(); }
  const SchedulerState& state() const { return state_; }

 private:
  // All images of the requests that begin in a step; of engines that encode them at once.
  void encode_first(ScheduledBatch& batch) const;
  // Whether a sequence has all its outputs.
  bool emit(const ScheduledBatch& batch, SimTime now, EngineObserver& observer);
  void retire(Slot slot, SimTime now, EngineObserver& observer);
  void free_slot(Slot slot);
  // Frees the blocks of a waiting sequence that stand in the way of all others; false when there is none.
  // `stopped`: the scheduler had to stop a sequence that ran.
  bool yield_waiting_blocks(bool stopped);

  SchedulerState state_;
  std::unique_ptr<Scheduler> scheduler_;
  EngineRole role_;
  bool pipelined_;
  std::int64_t max_num_seqs_;
  BatchQueue in_flight_;
  std::vector<Slot> free_slots_;
  std::vector<Slot> arrived_;  // since a step was last chosen
};

}  // namespace warploom
