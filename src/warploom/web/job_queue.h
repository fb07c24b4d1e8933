// Long answers: a few run at a time, a few wait, the latest stay to be read.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "warploom/answers/answer_watch.h"
#include "warploom/base/json.h"
#include "warploom/web/error_answer.h"

namespace warploom {

enum class JobState { Waiting, Running, Done, Failed, Cancelled };
std::string_view name_of(JobState state);

struct JobLimits {
  std::size_t running = 2, waiting = 8;
  // The latest of those that ended stay: so many, and so many bytes of answers.
  std::size_t kept = 32;
  std::size_t kept_bytes = std::size_t{64} << 20;
  std::size_t lines = 200;  // words on the way, the latest
};

// What is known of a job at one moment.
struct JobView {
  std::string id, request;
  JobState state = JobState::Waiting;
  double done = 0, total = 0;
  std::shared_ptr<const std::string> answer;  // the document's text; null without one
  std::optional<ErrorAnswer> error;
  std::vector<std::string> lines;  // from the asked one on
  std::size_t next_line = 0;       // the number of the one after the last
  bool ended() const { return state != JobState::Waiting && state != JobState::Running; }
};

// Thread-safe.
class JobQueue {
 public:
  // Answers one request; the watch says when it shall end.
  using Answer =
      std::function<std::string(const std::string& request, const Json& asked, const AnswerWatch&)>;

  using Failure = std::function<ErrorAnswer(const std::exception_ptr& error)>;

  JobQueue(Answer answer, Failure failure, const JobLimits& limits);
  // Cancels all and waits for those that run.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // The job's name; nothing when the queue is full.
  std::optional<std::string> add(std::string request, Json asked);
  // Throws NotFound. `first_line`: of the words on the way.
  JobView view(const std::string& id, std::size_t first_line = 0) const;
  // The same, as soon as it ends or after `patience`.
  JobView view_at_end(const std::string& id, std::chrono::milliseconds patience,
                      std::size_t first_line) const;
  // A waiting job ends at once; one that runs ends when its use case looks. Throws NotFound.
  void cancel(const std::string& id);
  // No more jobs; those there are cancelled. True when none runs any more after `patience`.
  bool close(std::chrono::milliseconds patience);

 private:
  struct Job;
  void work();
  void run(const std::shared_ptr<Job>& job);
  void end(Job& job, JobState state);
  void forget_oldest();
  std::shared_ptr<Job> find(const std::string& id) const;
  JobView view_locked(const Job& job, std::size_t first_line) const;

  Answer answer_;
  Failure failure_;
  JobLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  mutable std::condition_variable ended_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  std::deque<std::shared_ptr<Job>> waiting_, over_;
  std::size_t over_bytes_ = 0, running_ = 0;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace warploom
