// Which request reaches the engines next, and when: recorded times, a closed loop, and turns that follow the
// answers to others.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/serving/event_queue.h"
#include "warploom/serving/host_model.h"
#include "warploom/serving/request.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

class Arrivals {
 public:
  // `workload` and `records` (one for each request; lengths, arrival and queue times are filled in here)
  // outlive this.
  Arrivals(const Workload& workload, std::vector<RequestRecord>& records, const HostModel& host);

  // When the next request is there; kNever when nothing is under way.
  SimTime next_time() const;
  // That request.
  std::uint32_t take();
  // Sends what the completion of a request lets go.
  void complete(std::uint32_t request, SimTime now);

 private:
  // When a request that is sent now reaches its engine's queue. Prompts are tokenised one after the other.
  SimTime through_frontend(SimTime sent, std::int32_t input_tokens);
  void list_turns();
  void skip_turns();
  void send(std::size_t request, SimTime now);
  void send_next(SimTime now);

  const Workload& workload_;
  std::vector<RequestRecord>& records_;
  SimDuration frontend_latency_;
  Seconds frontend_per_token_;
  SimTime tokenizer_free_;
  EventQueue<std::uint32_t> sent_;  // in answer to others, by the time at which they reach an engine
  std::size_t next_ = 0;            // open loop: to reach an engine next; closed: to be sent next
  std::vector<std::uint32_t> turns_, turns_begin_;  // the requests that follow each; empty when none does
};

}  // namespace warploom
