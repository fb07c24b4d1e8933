#include "warploom/web/job_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/web/answer_deadline.h"
#include "warploom/web/random_token.h"

namespace warploom {

std::string_view name_of(JobState state) {
  constexpr std::array<std::string_view, 5> kNames{"waiting", "running", "done", "failed", "cancelled"};
  return kNames[std::size_t(state)];
}

struct JobQueue::Job {
  std::string id, request;
  Json asked;
  std::atomic<bool> cancelled{false};
  // Under the queue's mutex:
  JobState state = JobState::Waiting;
  double done = 0, total = 0;
  std::shared_ptr<const std::string> answer;
  std::optional<ErrorAnswer> error;
  std::deque<std::string> lines;
  std::size_t forgotten_lines = 0;
};

JobQueue::JobQueue(Answer answer, Failure failure, const JobLimits& limits)
    : answer_(std::move(answer)), failure_(std::move(failure)), limits_(limits) {
  for (std::size_t i = 0; i < limits_.running; ++i) threads_.emplace_back([this] { work(); });
}

JobQueue::~JobQueue() {
  close(std::chrono::milliseconds(0));
  for (std::thread& thread : threads_) thread.join();
}

std::optional<std::string> JobQueue::add(std::string request, Json asked) {
  auto job = std::make_shared<Job>();
  job->id = random_token();
  job->request = std::move(request);
  job->asked = std::move(asked);
  {
    const std::scoped_lock lock(mutex_);
    if (closed_ || waiting_.size() >= limits_.waiting) return {};
    jobs_.emplace(job->id, job);
    waiting_.push_back(job);
  }
  work_.notify_one();
  return job->id;
}

std::shared_ptr<JobQueue::Job> JobQueue::find(const std::string& id) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end())
    throw NotFound(
        "job: no such job is here; the latest that ended are kept, expected what POST to "
        "/api/v1/jobs/REQUEST returned");
  return found->second;
}

JobView JobQueue::view_locked(const Job& job, std::size_t first_line) const {
  JobView view{.id = job.id,
               .request = job.request,
               .state = job.state,
               .done = job.done,
               .total = job.total,
               .answer = job.answer,
               .error = job.error,
               .next_line = job.forgotten_lines + job.lines.size()};
  for (std::size_t line = std::max(first_line, job.forgotten_lines); line < view.next_line; ++line)
    view.lines.push_back(job.lines[line - job.forgotten_lines]);
  return view;
}

JobView JobQueue::view(const std::string& id, std::size_t first_line) const {
  const std::scoped_lock lock(mutex_);
  return view_locked(*find(id), first_line);
}

JobView JobQueue::view_at_end(const std::string& id, std::chrono::milliseconds patience,
                              std::size_t first_line) const {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Job> job = find(id);
  ended_.wait_for(lock, patience,
                  [&] { return job->state != JobState::Waiting && job->state != JobState::Running; });
  return view_locked(*job, first_line);
}

void JobQueue::cancel(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const std::shared_ptr<Job> job = find(id);
  job->cancelled = true;
  if (job->state != JobState::Waiting) return;
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), job), waiting_.end());
  end(*job, JobState::Cancelled);
}

bool JobQueue::close(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  closed_ = true;
  for (const auto& [id, job] : jobs_) job->cancelled = true;
  for (const std::shared_ptr<Job>& job : std::exchange(waiting_, {})) end(*job, JobState::Cancelled);
  work_.notify_all();
  return ended_.wait_for(lock, patience, [this] { return running_ == 0; });
}

void JobQueue::work() {
  while (true) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      job = waiting_.front();
      waiting_.pop_front();
      job->state = JobState::Running;
      ++running_;
    }
    run(job);
    {
      const std::scoped_lock lock(mutex_);
      --running_;
    }
    ended_.notify_all();
  }
}

void JobQueue::run(const std::shared_ptr<Job>& job) {
  const auto stop_if_asked = [&] {
    if (job->cancelled && !ends_with_a_part(job->request)) throw AnswerEnded();
  };
  const AnswerWatch watch{.progress =
                              [&](double done, double total) {
                                {
                                  const std::scoped_lock lock(mutex_);
                                  job->done = done;
                                  job->total = total;
                                }
                                stop_if_asked();
                              },
                          .said =
                              [&](std::string_view line) {
                                {
                                  const std::scoped_lock lock(mutex_);
                                  job->lines.emplace_back(line);
                                  if (job->lines.size() > limits_.lines) {
                                    job->lines.pop_front();
                                    ++job->forgotten_lines;
                                  }
                                }
                                stop_if_asked();
                              },
                          .cancelled = &job->cancelled};
  std::shared_ptr<const std::string> answer;
  std::optional<ErrorAnswer> error;
  try {
    answer = std::make_shared<const std::string>(answer_(job->request, job->asked, watch));
  } catch (const AnswerEnded&) {
  } catch (...) {
    error = failure_(std::current_exception());
  }
  const std::scoped_lock lock(mutex_);
  job->answer = std::move(answer);
  job->error = job->cancelled ? std::nullopt : std::move(error);
  job->asked = {};
  end(*job, job->cancelled ? JobState::Cancelled : job->error ? JobState::Failed : JobState::Done);
}

// Under the mutex.
void JobQueue::end(Job& job, JobState state) {
  job.state = state;
  over_.push_back(jobs_.at(job.id));
  over_bytes_ += job.answer ? job.answer->size() : 0;
  forget_oldest();
  ended_.notify_all();
}

void JobQueue::forget_oldest() {
  while (over_.size() > 1 && (over_.size() > limits_.kept || over_bytes_ > limits_.kept_bytes)) {
    const std::shared_ptr<Job> oldest = over_.front();
    over_.pop_front();
    over_bytes_ -= oldest->answer ? oldest->answer->size() : 0;
    jobs_.erase(oldest->id);
  }
}

}  // namespace warploom
