// Which request reaches the engines next, and when: recorded times, a closed loop, and turns that follow the
// answers to others, or are sent beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "warploom/serving/cluster/front_end.h"
#include "warploom/serving/host/host_model.h"
#include "warploom/serving/request.h"
#include "warploom/serving/time/event_queue.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

class Arrivals {
 public:
  // `workload` and `records` (one for each request; lengths, arrival and queue times are filled in here)
  // outlive this. `front_ends`: event loops that requests are taken in by, at least 1.
  Arrivals(const Workload& workload, std::vector<RequestRecord>& records, const HostModel& host,
           std::int64_t front_ends);

  // When a request next reaches the front end or an engine's queue; kNever when none is under way.
  SimTime next_time() const;
  // A request that reaches its engine's queue at `now`, not later than next_time(); absent when there is none
  // (more).
  std::optional<std::uint32_t> take(SimTime now);
  // The workload has one more request of its own time, no earlier than earliest(); so have the records. That
  // may be before `now`, up to which engines were played: its way lies there, which they do not see. It
  // reaches no engine before `now`.
  void append(SimTime now);
  SimTime earliest() const { return front_end_.now(); }
  // Sends what the completion of a request lets go.
  void complete(std::uint32_t request, SimTime now);

 private:
  SimTime next_sent() const;
  // Takes what is sent and what is through the front end up to `now`.
  void let_in(SimTime now);
  // The request sent next enters the front end; the one that is through is on its way to an engine.
  void enter_front_end();
  void leave_front_end();
  void fill(std::size_t request);
  // A request that another one lets go, `delay` after it is answered or sent.
  struct Turn {
    std::uint32_t request = 0;
    bool from_sending = false;
    SimDuration delay;
  };
  // What a request with several parents still waits for.
  struct Waiting {
    std::int32_t parents = 0;
    SimTime ready;
  };
  std::span<const Turn> turns_of(std::uint32_t request) const;
  void list_turns();
  void list_sessions();
  void let_go(const Turn& turn, SimTime now);
  void skip_turns();
  void send(std::size_t request, SimTime now);
  void send_next(SimTime now);
  // When the next request of an open loop is sent; kNever while too many are in flight.
  SimTime next_arrival() const;

  const Workload& workload_;
  std::vector<RequestRecord>& records_;
  SimDuration frontend_latency_;
  Seconds frontend_per_token_;
  FrontEnd front_end_;
  EventQueue<std::uint32_t> sent_;    // in answer to others, by their arrival
  EventQueue<std::uint32_t> queued_;  // through the front end, by the time at which they reach an engine
  SimTime not_before_;                // an engine is reached, by what was appended late
  std::size_t next_ = 0;              // open loop: to arrive next; closed: to be sent next
  std::int64_t unused_places_ = 0;    // with Workload::most_in_flight: never taken so far, and
  std::queue<SimTime> left_places_;   // left by those that completed, since when
  std::vector<Turn> turns_;           // those that follow each request; empty when none does
  std::vector<std::uint32_t> turns_begin_;
  std::vector<Waiting> waiting_;  // by request, where one has several parents
  // Closed loop with turns: the first request of each one's session, and by first request how many are left.
  std::vector<std::uint32_t> first_turn_, left_of_session_;
};

}  // namespace warploom
