// A plan searched by several members, here threads of one process, against one that is searched alone.
#include "warploom/planner/plan_crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <nlohmann/json.hpp>
#include <thread>

#include "warploom/base/error.h"
#include "warploom/planner/plan_search.h"
#include "warploom/planner/queue_model_test.h"
#include "warploom/planner/run_log.h"

namespace warploom {
namespace {

struct Table {
  explicit Table(std::size_t members) : sent(members), here(std::ptrdiff_t(members)) {}
  std::vector<CrewMessage> sent;
  std::barrier<> here;
  std::atomic<std::size_t> next = 0;
};

class ThreadCrew final : public PlanCrew {
 public:
  ThreadCrew(Table& table, std::size_t member) : table_(table), member_(member) {}
  bool is_first() const override { return member_ == 0; }
  std::size_t take() override { return table_.next++; }
  std::vector<CrewMessage> exchange(CrewMessage own) override {
    table_.sent[member_] = std::move(own);
    table_.here.arrive_and_wait();
    std::vector<CrewMessage> all = table_.sent;
    if (member_ == 0) table_.next = 0;
    table_.here.arrive_and_wait();
    return all;
  }

 private:
  Table& table_;
  std::size_t member_;
};

std::vector<SearchResult> searched_by(std::size_t members, const PlanTask& task,
                                      const ConfigurationModel& model) {
  Table table(members);
  std::vector<SearchResult> results(members);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < members; ++i)
    threads.emplace_back([&, i] {
      ThreadCrew crew(table, i);
      PlanTask own = task;
      own.crew = &crew;
      own.threads = 1;
      results[i] = search_plan(own, model);
    });
  for (std::thread& thread : threads) thread.join();
  return results;
}

std::string text_of_result(const SearchResult& result) {
  Json document = {result.configurations, result.candidates, result.short_runs, result.whole_runs,
                   result.with_point};
  for (const PlanPoint& point : result.points)
    document.push_back({run_key(point.configuration, point.fleet, {}), point.objective, point.rent,
                        point.input_price, run_figures_to_json(point.figures), point.confident});
  for (const PlanCount& count : result.without_point)
    document.push_back({count.reason, count.configurations, count.example});
  for (const LimitUse& least : result.least_possible) document.push_back({least.name, least.figure});
  if (result.nearest) document.push_back({result.nearest->binding.name, result.nearest->binding.use});
  return document.dump();
}

TEST(PlanCrew, FindsWhatOneMemberFinds) {
  PlanTask task = queue_task();
  const QueueModel model(task);
  const std::string alone = text_of_result(search_plan(task, model));
  const std::int64_t runs = model.runs();
  for (const SearchResult& result : searched_by(3, task, model)) EXPECT_EQ(text_of_result(result), alone);
  EXPECT_EQ(model.runs(), 2 * runs) << "every run was made by one member alone";
}

TEST(PlanCrew, FindsTheSameRatesPoolsAndMisses) {
  PlanTask rates = queue_task();
  rates.load.rate = 0;
  rates.find_max_rate = true;
  rates.gpu_count = 8;
  PlanTask pools = queue_task();
  pools.space.pools = PoolLayout::Both;
  pools.space.max_num_seqs = {64};
  pools.space.max_gpus = 12;
  PlanTask never = queue_task();
  never.level.limits = parse_limits(std::vector<std::string>{"tpot_p95_ms=3"});
  for (const PlanTask& task : {rates, pools, never}) {
    const QueueModel model(task);
    EXPECT_EQ(text_of_result(searched_by(2, task, model)[1]), text_of_result(search_plan(task, model)));
  }
}

// So that a store, which the first one writes, holds what any of them found out.
TEST(PlanCrew, TheFirstMemberLearnsTheRunsOfAll) {
  const PlanTask task = queue_task();
  const QueueModel model(task);
  const LoggedRuns alone(model, {}, 1, "test");
  (void)search_plan(task, alone);
  const LoggedRuns first(model, {}, 1, "test"), second(model, {}, 1, "test");
  Table table(2);
  const auto search = [&](std::size_t member, const LoggedRuns& runs) {
    ThreadCrew crew(table, member);
    PlanTask own = task;
    own.crew = &crew;
    own.threads = 1;
    (void)search_plan(own, runs);
  };
  std::thread other([&] { search(1, second); });
  search(0, first);
  other.join();
  EXPECT_EQ(first.all(), alone.all());
}

TEST(PlanCrew, AFailureOfOneIsHeardByAll) {
  Table table(2);
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (std::size_t member = 0; member < 2; ++member)
    threads.emplace_back([&, member] {
      ThreadCrew crew(table, member);
      const auto work = [](std::size_t i) {
        if (i == 3) throw InvalidInput("piece 3 fails");
      };
      try {
        share_work(
            crew, 8, 1, work, [](std::size_t i) { return Json(i); }, [](std::size_t, const Json&) {});
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "piece 3 fails");
        ++failures;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 2);
}

}  // namespace
}  // namespace warploom
