#include "warploom/app/serving/paced_engines.h"

#include <algorithm>
#include <utility>

namespace warploom {

PacedAnswer::News PacedAnswer::wait(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return !news_.outputs.empty() || news_.end != End::NotYet; });
  return std::exchange(news_, {.end = news_.end});
}

void PacedAnswer::give(std::int32_t tokens) {
  {
    const std::scoped_lock lock(mutex_);
    news_.outputs.push_back(tokens);
  }
  changed_.notify_one();
}

void PacedAnswer::end(End end) {
  {
    const std::scoped_lock lock(mutex_);
    news_.end = end;
  }
  changed_.notify_one();
}

void BoundedCounts::add(double seconds, std::int64_t times) {
  const auto place = std::lower_bound(bounds_.begin(), bounds_.end(), seconds) - bounds_.begin();
  counts_[std::size_t(place)] += times;
  sum_ += seconds * double(times);
}

PacedEngines::PacedEngines(ServingEngines engines, double speedup)
    : engines_(std::move(engines)),
      speedup_(speedup),
      run_(engines_.deployment, *this),
      thread_([this] { work(); }) {}

PacedEngines::~PacedEngines() { stop(); }

SimTime PacedEngines::time_of(Clock::time_point moment) const {
  return to_sim_time(Seconds(std::chrono::duration<double>(moment - start_).count() * speedup_));
}

PacedEngines::Clock::time_point PacedEngines::moment_of(SimTime time) const {
  const std::chrono::duration<double> after(time.seconds().value() / speedup_);
  return start_ + std::chrono::ceil<Clock::duration>(after);
}

std::shared_ptr<PacedAnswer> PacedEngines::ask(std::int64_t input_tokens, std::int64_t output_tokens,
                                               Clock::time_point arrived) {
  std::shared_ptr<PacedAnswer> answer;
  {
    const std::scoped_lock lock(mutex_);
    const SimTime arrival = std::max(earliest_, time_of(arrived));
    const std::uint32_t request = run_.add(arrival, input_tokens, output_tokens);
    earliest_ = arrival;
    answer = std::make_shared<PacedAnswer>(request, input_tokens, run_.output_tokens(request));
    if (stopped_)
      answer->end(PacedAnswer::End::Stopped);
    else
      answers_[request] = answer;
    figures_.prompt_tokens += input_tokens;
    asked_ = true;
  }
  changed_.notify_one();
  return answer;
}

void PacedEngines::leave(const PacedAnswer& answer) {
  {
    const std::scoped_lock lock(mutex_);
    if (answers_.erase(answer.request()) == 0) return;
    ++figures_.stopped;
    const SimTime at = now();
    play(at);
    run_.leave(answer.request(), at);
    asked_ = true;
  }
  changed_.notify_one();
}

void PacedEngines::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    for (const auto& [request, answer] : answers_) answer->end(PacedAnswer::End::Stopped);
    answers_.clear();
  }
  changed_.notify_one();
}

PacedFigures PacedEngines::figures() {
  const std::scoped_lock lock(mutex_);
  PacedFigures figures = figures_;
  figures.load = run_.load();
  return figures;
}

void PacedEngines::on_outputs(std::uint32_t request, std::int32_t tokens) {
  figures_.generated_tokens += tokens;
  if (const auto found = answers_.find(request); found != answers_.end()) found->second->give(tokens);
}

void PacedEngines::on_end(std::uint32_t request, const RequestRecord& record) {
  const auto found = answers_.find(request);
  if (found == answers_.end()) return;  // its client left
  using End = PacedAnswer::End;
  const End end = record.turned_away ? End::TurnedAway : record.timed_out ? End::TimedOut : End::Complete;
  if (end == End::Complete) {
    ++figures_.completed;
    figures_.ttft.add(record.ttft().seconds().value());
    figures_.e2el.add(record.e2el().seconds().value());
    if (record.output_tokens > 1) figures_.tpot.add(record.tpot().value());
  } else {
    ++figures_.turned_away;
  }
  found->second->end(end);
  answers_.erase(found);
}

void PacedEngines::play(SimTime until) {
  const SimTime due = run_.next_time();
  if (due > until) return;
  run_.play_until(until);
  earliest_ = until;
  const double late = std::chrono::duration<double>(Clock::now() - moment_of(due)).count();
  figures_.most_lag_s = std::max(figures_.most_lag_s, late);
}

void PacedEngines::work() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    play(now());
    const auto is_called = [this] { return stopped_ || std::exchange(asked_, false); };
    if (const SimTime next = run_.next_time(); next == kNever)
      changed_.wait(lock, is_called);
    else
      changed_.wait_until(lock, moment_of(next), is_called);
  }
}

}  // namespace warploom
