#include "warploom/serving/cluster/arrivals.h"

#include <algorithm>

namespace warploom {

Arrivals::Arrivals(const Workload& workload, std::vector<RequestRecord>& records, const HostModel& host,
                   std::int64_t front_ends)
    : workload_(workload),
      records_(records),
      frontend_latency_(to_sim_duration(host.frontend_latency)),
      frontend_per_token_(host.frontend_per_token),
      front_end_(front_ends) {
  for (std::size_t i = 0; i < records_.size(); ++i) fill(i);
  unused_places_ = workload.most_in_flight.value_or(0);
  list_turns();
  skip_turns();
  if (!workload_.concurrency) return;
  const std::size_t first = std::min(records_.size(), std::size_t(*workload_.concurrency));
  for (std::size_t sent = 0; sent < first && next_ < records_.size(); ++sent) send_next(SimTime());
}

void Arrivals::fill(std::size_t request) {
  const WorkloadRequest& asked = workload_.requests[request];
  records_[request].input_tokens = asked.input_tokens;
  records_[request].output_tokens = asked.output_tokens;
  records_[request].thinking_tokens = asked.thinking_tokens;
  records_[request].thinking_cut = asked.thinking_cut;
  if (!workload_.concurrency) records_[request].arrival = asked.arrival;
}

void Arrivals::append(SimTime now) {
  fill(records_.size() - 1);
  not_before_ = now;
  let_in(now);
}

void Arrivals::list_turns() {
  const auto& requests = workload_.requests;
  if (std::none_of(requests.begin(), requests.end(), [](const WorkloadRequest& r) { return r.after >= 0; }))
    return;
  turns_begin_.assign(requests.size() + 1, 0);
  for (const WorkloadRequest& request : requests)
    if (request.after >= 0) ++turns_begin_[std::size_t(request.after) + 1];
  for (const FurtherParent& edge : workload_.further_parents) ++turns_begin_[std::size_t(edge.parent) + 1];
  for (std::size_t i = 0; i < requests.size(); ++i) turns_begin_[i + 1] += turns_begin_[i];
  turns_.resize(turns_begin_.back());
  std::vector<std::uint32_t> next(turns_begin_.begin(), turns_begin_.end() - 1);
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (const WorkloadRequest& turn = requests[i]; turn.after >= 0)
      turns_[next[std::size_t(turn.after)]++] = {std::uint32_t(i), turn.from_sending, turn.delay};
  for (const FurtherParent& edge : workload_.further_parents)
    turns_[next[edge.parent]++] = {edge.request, edge.from_sending, edge.delay};
  if (!workload_.further_parents.empty()) waiting_.resize(requests.size(), {.parents = 1});
  for (const FurtherParent& edge : workload_.further_parents) ++waiting_[edge.request].parents;
  if (workload_.concurrency) list_sessions();
}

void Arrivals::list_sessions() {
  const auto& requests = workload_.requests;
  first_turn_.resize(requests.size());
  left_of_session_.assign(requests.size(), 0);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    first_turn_[i] = requests[i].after < 0 ? std::uint32_t(i) : first_turn_[std::size_t(requests[i].after)];
    ++left_of_session_[first_turn_[i]];
  }
}

std::span<const Arrivals::Turn> Arrivals::turns_of(std::uint32_t request) const {
  if (turns_begin_.empty()) return {};
  return std::span(turns_).subspan(turns_begin_[request], turns_begin_[request + 1] - turns_begin_[request]);
}

void Arrivals::let_go(const Turn& turn, SimTime now) {
  const SimTime ready = now + turn.delay;
  if (waiting_.empty()) return send(turn.request, ready);
  Waiting& waiting = waiting_[turn.request];
  waiting.ready = std::max(waiting.ready, ready);
  if (--waiting.parents == 0) send(turn.request, waiting.ready);
}

// Later turns are sent when the turn before them is answered.
void Arrivals::skip_turns() {
  while (next_ < records_.size() && workload_.requests[next_].after >= 0) ++next_;
}

SimTime Arrivals::next_sent() const {
  const SimTime sent = sent_.empty() ? kNever : sent_.next_time();
  if (workload_.concurrency || next_ >= records_.size()) return sent;
  return std::min(sent, next_arrival());
}

SimTime Arrivals::next_arrival() const {
  const SimTime arrival = records_[next_].arrival;
  if (!workload_.most_in_flight || unused_places_ > 0) return arrival;
  return left_places_.empty() ? kNever : std::max(arrival, left_places_.front());
}

SimTime Arrivals::next_time() const {
  const SimTime queued = queued_.empty() ? kNever : queued_.next_time();
  return std::min({queued, front_end_.next_time(), next_sent()});
}

void Arrivals::enter_front_end() {
  const SimTime arrival = next_sent();
  std::uint32_t request;
  if (!sent_.empty() && sent_.next_time() == arrival) {
    request = sent_.pop();
  } else {
    records_[next_].arrival = arrival;
    if (unused_places_ > 0)
      --unused_places_;
    else if (workload_.most_in_flight)
      left_places_.pop();
    request = std::uint32_t(next_++);
    skip_turns();
  }
  front_end_.enter(arrival, request, frontend_per_token_ * double(records_[request].input_tokens));
  for (const Turn& turn : turns_of(request))
    if (turn.from_sending) let_go(turn, arrival);
}

void Arrivals::leave_front_end() {
  const SimTime now = front_end_.next_time();
  const std::uint32_t request = front_end_.leave();
  records_[request].queued = std::max(now + frontend_latency_, not_before_);
  queued_.push(records_[request].queued, request);
}

void Arrivals::let_in(SimTime now) {
  while (std::min(front_end_.next_time(), next_sent()) <= now) {
    if (front_end_.next_time() <= next_sent())
      leave_front_end();
    else
      enter_front_end();
  }
}

std::optional<std::uint32_t> Arrivals::take(SimTime now) {
  let_in(now);
  if (queued_.empty() || queued_.next_time() > now) return std::nullopt;
  return queued_.pop();
}

void Arrivals::send(std::size_t request, SimTime now) {
  records_[request].arrival = now;
  sent_.push(now, std::uint32_t(request));
}

void Arrivals::send_next(SimTime now) {
  send(next_++, now);
  skip_turns();
}

void Arrivals::complete(std::uint32_t request, SimTime now) {
  if (workload_.most_in_flight) left_places_.push(now);
  for (const Turn& turn : turns_of(request))
    if (!turn.from_sending) let_go(turn, now);
  if (!workload_.concurrency) return;
  const bool session_ends = first_turn_.empty() || --left_of_session_[first_turn_[request]] == 0;
  if (session_ends && next_ < records_.size()) send_next(now + workload_.requests[next_].delay);
}

}  // namespace warploom
