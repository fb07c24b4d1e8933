// A serving run: events in order of time over the pools of a deployment.
//
// At each moment steps end first (what they complete may let a request be sent at this very moment), then
// fetches end and instances fail, start and scale, then requests arrive, then steps start.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "warploom/serving/cluster/arrivals.h"
#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/cluster/pool.h"
#include "warploom/serving/simulation_options.h"
#include "warploom/serving/simulation_result.h"
#include "warploom/serving/time/event_queue.h"
#include "warploom/serving/time/timeline.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// What runs that are joined need beside their results.
struct RunDetails {
  LatencyHistogram itl;
  std::vector<std::pair<std::int64_t, std::int64_t>> tokens_by_second;  // second, tokens
};

// Is told of requests while a run goes on. Called in the middle of a moment: asks nothing of the run.
class RunListener {
 public:
  virtual ~RunListener() = default;
  // The client gets tokens.
  virtual void on_outputs(std::uint32_t request, std::int32_t tokens) = 0;
  // No more of them come: all are there, it was turned away, or its client left.
  virtual void on_end(std::uint32_t request, const RequestRecord& record) = 0;
};

class ClusterCaches;
class EncoderPool;

class Run final : public EngineObserver {
 public:
  // `listener` may be null.
  Run(const Deployment& deployment, const Workload& workload, const SimulationOptions& options,
      RunListener* listener = nullptr);
  ~Run() override;
  // Plays to the end, or until cancelled.
  SimulationResult result();
  // For runs whose requests come while they go on (live_run.h): the workload has one more request, that came
  // no earlier than earliest_arrival() and reaches no engine before what was played.
  void append();
  SimTime earliest_arrival() const { return arrivals_.earliest(); }
  // When something happens next; kNever where nothing will.
  SimTime next_time() const;
  void play_until(SimTime until);
  void client_left(std::uint32_t request, SimTime now);
  // Now, over all pools.
  TimelineSample load();
  RunDetails details() { return {std::move(itl_), std::move(tokens_by_second_)}; }

  void on_token_gaps(SimDuration gap, std::int64_t count) override { itl_.add(gap, count); }
  void on_tokens(SimTime now, std::int64_t count) override;
  void on_completion(SimTime now, const Sequence& sequence, Slot slot) override;
  bool watches_outputs() const override { return listener_ != nullptr; }
  void on_outputs(const Sequence& sequence, std::int32_t tokens) override {
    listener_->on_outputs(sequence.request, tokens);
  }

 private:
  struct StepEnd {
    std::uint32_t pool, instance, epoch;
  };
  enum class EventKind { Fetched, Failed, Ready, Scale, TimedOut };
  struct Event {
    EventKind kind = EventKind::Fetched;
    std::uint32_t pool = 0, instance = 0, epoch = 0;
    std::uint32_t replica = 0;  // of the pool
    Slot slot = 0;
    std::uint64_t handover = 0;       // 0: the fetch is from a lower tier
    std::optional<SimDuration> down;  // of Failed
    // Fetched from a peer: its instance, as it was.
    std::optional<std::uint32_t> from_pool;
    std::uint32_t from_instance = 0, from_epoch = 0;
    std::int64_t from_tokens = 0;
    std::uint32_t request = 0;  // of TimedOut
  };
  // A prefilled request that its decoding engine has not got yet.
  struct Handover {
    std::uint64_t id = 0;
    std::uint32_t prefill_replica = 0, decode_replica = 0;
    Slot prefill_slot = 0, decode_slot = 0;
    SimTime prefill_began;
    bool placed = false;  // a decoding engine has it in its queue
  };

  void play();
  void play_moment(SimTime now);
  void await(SimTime time, const Event& event);
  void handle(const Event& event, SimTime now);
  // Nothing is under way and looks at the load change nothing: what is left over stays so.
  bool stuck();
  // Requests are stopped again and again, and nothing else happens or will: a prompt whose blocks others keep
  // that nobody fetches. Looks at what happened since the call before.
  bool goes_round();
  void touch(std::size_t pool, std::size_t instance);
  void start_steps(SimTime now);
  void play_encoders(SimTime now);
  void add_encoders(SimulationResult& result) const;
  void tell_end(std::uint32_t request) {
    if (listener_ != nullptr) listener_->on_end(request, records_[request]);
  }
  std::vector<StepRecord>* records_for(SimTime now) {
    return steps_.size() < options_.recorded_steps && now >= options_.record_from ? &steps_ : nullptr;
  }

  // Requests on their way (run_requests.cpp).
  void arrive(std::uint32_t request, SimTime now);
  void submit(const EngineRequest& request);
  void enter(const EngineRequest& request);  // the first pool
  bool place(std::size_t pool, const EngineRequest& request);
  void place_waiting(std::size_t pool);
  void complete_prefill(SimTime now, const Sequence& sequence, Slot slot);
  bool place_handover(const EngineRequest& request);
  void leave(std::size_t pool, const Sequence& sequence);
  // The fleet's rules: whether a request that comes now is taken, and what becomes of one whose client left.
  bool is_turned_away();
  void end_unserved(std::uint32_t request, SimTime now);
  void time_out(std::uint32_t request, SimTime now);

  // Transfers and failures (run_events.cpp).
  void begin_fetches(std::size_t pool, std::size_t replica, SimTime now);
  SimTime fetch_of(const KvFetch& fetch, std::size_t pool, std::size_t replica, Event& event, SimTime now);
  void write_units(std::size_t pool, std::size_t instance);
  SimTime transfer(const Handover& handover, const KvFetch& fetch, SimTime now);
  void end_fetch(const Event& event, SimTime now);
  void fail(const Event& event, SimTime now);
  void restart_request(std::size_t pool, const Sequence& sequence);
  void scale(std::size_t pool, SimTime now);

  const Deployment& deployment_;
  const Workload& workload_;
  const SimulationOptions& options_;
  RunListener* listener_;
  std::vector<RequestRecord> records_;
  Arrivals arrivals_;
  std::unique_ptr<ClusterCaches> caches_;  // null: instances share none
  std::deque<Pool> pools_;
  std::unique_ptr<EncoderPool> encoders_;  // null: the first pool encodes
  std::unordered_map<std::uint32_t, EngineRequest> encoding_;
  bool tracks_slots_ = false;   // clients may leave
  std::vector<Slot> slots_;     // of each request, in the replica that its record names; where tracked
  std::vector<bool> are_over_;  // requests that nobody waits for; where tracked
  std::vector<std::unique_ptr<AutoscalingPolicy>> scaling_;
  EventQueue<StepEnd> step_ends_;
  EventQueue<Event> events_;
  std::int64_t awaited_ = 0;    // events that are more than looks at the load
  std::size_t idle_looks_ = 0;  // looks in a row that started nothing, while nothing was under way
  std::int64_t progress_ = 0;   // tokens and completions
  std::int64_t seen_progress_ = 0, seen_preemptions_ = 0;  // by goes_round
  bool went_round_ = false;
  std::vector<std::deque<EngineRequest>> unplaced_;  // by pool: no instance takes requests
  std::unordered_map<std::uint32_t, Handover> handovers_;
  std::uint64_t next_handover_ = 1;
  std::vector<std::uint32_t> touched_;  // pool << 24 | instance, may hold repeats
  std::size_t current_pool_ = 0;        // whose step or fetch ends
  std::vector<StepRecord> steps_;
  LatencyHistogram itl_;
  TimelineRecorder timeline_;
  TransferTotals transfers_;
  SimTime latest_;
  std::int64_t ended_ = 0, live_ = 0, most_live_ = 0;  // ended: completed or rejected
  std::vector<std::pair<std::int64_t, std::int64_t>> tokens_by_second_;
  bool stopped_ = false;
};

}  // namespace warploom
