#include "warploom/app/serving/paced_engines.h"

#include <algorithm>
#include <utility>

namespace warploom {

PacedAnswer::News PacedAnswer::wait(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto is_known = [this] { return !known_.empty() || end_ != End::NotYet; };
  if (!changed_.wait_for(lock, patience, is_known)) return {};
  const auto is_cut = [this] { return end_ == End::Stopped; };
  changed_.wait_until(lock, known_.empty() ? end_due_ : known_.front().due, is_cut);
  News news;
  const auto now = Clock::now();
  while (!known_.empty() && known_.front().due <= now) {
    news.outputs.push_back(known_.front());
    known_.pop_front();
  }
  if (known_.empty() && end_due_ <= now) news.end = end_;
  return news;
}

void PacedAnswer::give(std::int32_t tokens, Clock::time_point due) {
  {
    const std::scoped_lock lock(mutex_);
    known_.push_back({tokens, due});
  }
  changed_.notify_one();
}

void PacedAnswer::end(End end, Clock::time_point due) {
  {
    const std::scoped_lock lock(mutex_);
    end_ = end;
    end_due_ = due;
  }
  changed_.notify_one();
}

void PacedAnswer::cut() {
  {
    const std::scoped_lock lock(mutex_);
    known_.clear();
    end_ = End::Stopped;
    end_due_ = Clock::now();
  }
  changed_.notify_one();
}

void BoundedCounts::add(double seconds, std::int64_t times) {
  const auto place = std::lower_bound(bounds_.begin(), bounds_.end(), seconds) - bounds_.begin();
  counts_[std::size_t(place)] += times;
  sum_ += seconds * double(times);
}

namespace {

// So far are runs played ahead, in the least way of a request: the rest is for servers to read it in.
// Chosen, not fitted.
constexpr double kPartAhead = 0.5;

}  // namespace

PacedEngines::PacedEngines(ServingEngines engines, double speedup)
    : engines_(std::move(engines)),
      speedup_(speedup),
      run_(engines_.deployment, *this),
      ahead_(to_sim_duration(kPartAhead * run_.least_way().seconds())),
      thread_([this] { work(); }) {}

PacedEngines::~PacedEngines() { stop(); }

SimTime PacedEngines::time_of(Clock::time_point moment) const {
  return to_sim_time(Seconds(std::chrono::duration<double>(moment - start_).count() * speedup_));
}

PacedEngines::Clock::time_point PacedEngines::moment_of(SimTime time) const {
  const std::chrono::duration<double> after(time.seconds().value() / speedup_);
  return start_ + std::chrono::ceil<Clock::duration>(after);
}

PacedEngines::Clock::time_point PacedEngines::play_moment_of(SimTime time) const {
  const std::chrono::duration<double> ahead(ahead_.seconds().value() / speedup_);
  return moment_of(time) - std::chrono::floor<Clock::duration>(ahead);
}

std::shared_ptr<PacedAnswer> PacedEngines::ask(std::int64_t input_tokens, std::int64_t output_tokens,
                                               Clock::time_point arrived) {
  std::shared_ptr<PacedAnswer> answer;
  {
    const std::scoped_lock lock(mutex_);
    const SimTime arrival = std::max(run_.earliest_arrival(), time_of(arrived));
    const std::uint32_t request = run_.add(arrival, input_tokens, output_tokens);
    answer = std::make_shared<PacedAnswer>(request, input_tokens, run_.output_tokens(request));
    if (stopped_)
      answer->cut();
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
    play(now());
    const SimTime at = std::max(now(), played_);
    run_.leave(answer.request(), at);
    asked_ = true;
  }
  changed_.notify_one();
}

void PacedEngines::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    for (const auto& [request, answer] : answers_) answer->cut();
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
  if (const auto found = answers_.find(request); found != answers_.end()) found->second->give(tokens, due_);
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
  found->second->end(end, due_);
  answers_.erase(found);
}

void PacedEngines::play(SimTime until) {
  for (SimTime next = run_.next_time(); next <= until && next != kNever; next = run_.next_time()) {
    due_ = moment_of(next);
    run_.play_until(next);
    played_ = next;
  }
}

void PacedEngines::note_lag(std::chrono::duration<double> late, bool first) {
  const std::scoped_lock lock(mutex_);
  figures_.most_lag_s = std::max(figures_.most_lag_s, late.count());
  if (!first) return;
  figures_.first_token_lag_s += late.count();
  ++figures_.first_tokens;
}

void PacedEngines::work() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    play(now() + ahead_);
    const auto is_called = [this] { return stopped_ || std::exchange(asked_, false); };
    if (const SimTime next = run_.next_time(); next == kNever)
      changed_.wait(lock, is_called);
    else
      changed_.wait_until(lock, play_moment_of(next), is_called);
  }
}

}  // namespace warploom
