#include "warploom/web/job_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongWait = 10s;

// Answers when it is let, or when it is cancelled.
class HeldAnswers {
 public:
  std::string answer(const std::string& request, const Json& asked, const AnswerWatch& watch) {
    if (request == "wrong") throw InvalidInput("wrong: as it was asked");
    watch.said("begun");
    while (!let_ && !*watch.cancelled) {
      std::this_thread::sleep_for(1ms);
      watch.progress(1, 2);
    }
    return asked.dump();
  }
  JobQueue::Answer function() {
    return [this](const std::string& request, const Json& asked, const AnswerWatch& watch) {
      return answer(request, asked, watch);
    };
  }
  void let() { let_ = true; }

 private:
  std::atomic<bool> let_{false};
};

JobView ended_view(const JobQueue& queue, const std::string& id) {
  return queue.view_at_end(id, kLongWait, 0);
}

TEST(JobQueue, AnswersAndKeepsTheAnswer) {
  HeldAnswers answers;
  JobQueue queue(answers.function(), error_answer, {});
  const std::string id = queue.add("simulate", {{"a", 1}}).value();
  EXPECT_FALSE(queue.view_at_end(id, 20ms, 0).ended());
  answers.let();
  const JobView job = ended_view(queue, id);
  EXPECT_EQ(job.state, JobState::Done);
  EXPECT_EQ(*job.answer, R"({"a":1})");
  EXPECT_EQ(job.lines, std::vector<std::string>{"begun"});
  EXPECT_EQ(job.total, 2);
  EXPECT_TRUE(queue.view(id, job.next_line).lines.empty());
}

TEST(JobQueue, SaysWhatFailed) {
  HeldAnswers answers;
  JobQueue queue(answers.function(), error_answer, {});
  const JobView job = ended_view(queue, queue.add("wrong", {}).value());
  EXPECT_EQ(job.state, JobState::Failed);
  EXPECT_EQ(job.error->status, 400);
  EXPECT_EQ(job.error->message, "wrong: as it was asked");
}

TEST(JobQueue, TakesNoMoreThanItHolds) {
  HeldAnswers answers;
  JobQueue queue(answers.function(), error_answer, {.running = 1, .waiting = 2});
  const std::string first = queue.add("simulate", {}).value();
  while (queue.view(first).state == JobState::Waiting) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(queue.add("simulate", {}));
  const std::string third = queue.add("simulate", {}).value();
  EXPECT_FALSE(queue.add("simulate", {}));
  queue.cancel(third);
  EXPECT_EQ(queue.view(third).state, JobState::Cancelled);
  EXPECT_TRUE(queue.add("simulate", {}));
  answers.let();
}

TEST(JobQueue, CancelsAtOnceOrWithAPart) {
  HeldAnswers answers;
  JobQueue queue(answers.function(), error_answer, {});
  for (const char* request : {"simulate", "validate_kernels"}) {
    const std::string id = queue.add(request, {}).value();
    while (queue.view(id).total == 0) std::this_thread::sleep_for(1ms);
    queue.cancel(id);
    const JobView job = ended_view(queue, id);
    EXPECT_EQ(job.state, JobState::Cancelled) << request;
    EXPECT_EQ(job.answer != nullptr, std::string(request) == "simulate");
  }
}

TEST(JobQueue, ForgetsTheOldest) {
  JobQueue queue([](const std::string&, const Json&, const AnswerWatch&) { return std::string(100, 'x'); },
                 error_answer, {.running = 1, .kept = 3, .kept_bytes = 250});
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(queue.add("simulate", {}).value());
    ended_view(queue, ids.back());
  }
  EXPECT_THROW(queue.view(ids[2]), NotFound);
  EXPECT_EQ(queue.view(ids[3]).state, JobState::Done);
  EXPECT_EQ(queue.view(ids[4]).state, JobState::Done);
  EXPECT_THROW(queue.cancel("unknown"), NotFound);
}

TEST(JobQueue, EndsItsJobsWhenItIsClosed) {
  HeldAnswers answers;
  JobQueue queue(answers.function(), error_answer, {.running = 1});
  const std::string running = queue.add("simulate", {}).value(), waiting = queue.add("simulate", {}).value();
  EXPECT_TRUE(queue.close(kLongWait));
  EXPECT_EQ(queue.view(running).state, JobState::Cancelled);
  EXPECT_EQ(queue.view(waiting).state, JobState::Cancelled);
  EXPECT_FALSE(queue.add("simulate", {}));
}

}  // namespace
}  // namespace warploom
