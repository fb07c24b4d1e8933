#include "warploom/planner/plan_search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/planner/configuration_answer.h"
#include "warploom/planner/queue_model_test.h"
#include "warploom/planner/run_log.h"
#include "warploom/planner/what_if.h"

namespace warploom {
namespace {

using Chosen = std::pair<Configuration, Fleet>;

Chosen chosen(const PlanPoint& point) { return {point.configuration, point.fleet}; }

std::set<Chosen> front_of(const SearchResult& result, const std::vector<std::size_t>& front) {
  std::set<Chosen> points;
  for (const std::size_t i : front) points.insert(chosen(result.points[i]));
  return points;
}

void expect_same_answer(PlanTask task) {
  const QueueModel model(task);
  const SearchResult pruned = search_plan(task, model);
  task.exhaustive = true;
  const SearchResult all = search_plan(task, model);
  ASSERT_TRUE(all.best.has_value());
  ASSERT_TRUE(pruned.best.has_value());
  EXPECT_EQ(chosen(pruned.points[*pruned.best]), chosen(all.points[*all.best]));
  ASSERT_EQ(pruned.best_confident.has_value(), all.best_confident.has_value());
  if (all.best_confident) {
    EXPECT_EQ(chosen(pruned.points[*pruned.best_confident]), chosen(all.points[*all.best_confident]));
  }
  if (task.fronts) {
    EXPECT_EQ(front_of(pruned, pruned.speed_front), front_of(all, all.speed_front));
    EXPECT_EQ(front_of(pruned, pruned.cost_front), front_of(all, all.cost_front));
  }
  const auto work = [](const SearchResult& result) {
    return double(result.whole_runs) + 0.25 * double(result.short_runs);
  };
  // Nothing bounds energy from below.
  if (task.objective != Objective::Energy) {
    EXPECT_LT(work(pruned), work(all)) << "the pruned search simulates less";
  }
}

TEST(PlanSearch, PrunedFindsTheWinnersAndFrontsOfTheExhaustiveOne) {
  PlanTask task = queue_task();
  const QueueModel model(task);
  EXPECT_GE(search_plan(task, model).candidates, 2000);
  expect_same_answer(task);
  task.fronts = false;
  expect_same_answer(task);
}

TEST(PlanSearch, TheSameOverExpertsApartAndRouters) {
  PlanTask task = queue_task();
  task.mixture = true;
  task.space.pools = PoolLayout::Both;
  task.space.tensor_parallel = {2, 4};
  task.space.data_parallel = {1, 2};
  task.space.expert_parallel = Tried::On;
  task.space.feed_forward_ranks = {0, 2, 4};
  task.space.micro_batches = {2, 3};
  task.space.routing_policies = {"engine", "kv_cost"};
  task.space.max_num_seqs = {64};
  task.space.max_num_batched_tokens = {2048};
  task.space.quantizations = {"stored"};
  task.space.max_gpus = 16;
  expect_same_answer(task);
}

TEST(PlanSearch, TheSameOverPoolsApart) {
  PlanTask task = queue_task();
  task.space.pools = PoolLayout::Both;
  task.space.max_num_seqs = {64};
  task.space.quantizations = {"stored"};
  task.space.max_gpus = 16;
  const QueueModel model(task);
  EXPECT_GE(search_plan(task, model).candidates, 2000);
  expect_same_answer(task);
}

TEST(PlanSearch, TheSameWithAnyObjectiveAndASpare) {
  for (const auto& objective : EnumNames<Objective>::kNames) {
    PlanTask task = queue_task();
    task.space.max_num_batched_tokens = {2048};
    task.objective = objective.first;
    task.spare_instances = 1;
    SCOPED_TRACE(objective.second);
    expect_same_answer(task);
  }
}

TEST(PlanSearch, TheSameInWholeNodesWithAnyObjective) {
  for (const auto& objective : EnumNames<Objective>::kNames) {
    PlanTask task = queue_task();
    task.space.max_num_batched_tokens = {2048};
    task.objective = objective.first;
    task.rent[0].node_gpus = {8, 4, 1};
    SCOPED_TRACE(objective.second);
    expect_same_answer(task);
    const QueueModel model(task);
    for (const PlanPoint& point : search_plan(task, model).points) {
      EXPECT_GE(point.rented.gpus(), point.gpus);
      EXPECT_DOUBLE_EQ(point.rent, task.rent[0].gpu_hour_price[point.configuration.shape.gpu] *
                                       double(point.rented.gpus()));
    }
  }
}

TEST(PlanSearch, TheSameWhereGpusAreRentedInDifferentWays) {
  for (const Objective objective : {Objective::Cost, Objective::Gpus}) {
    PlanTask task = queue_task();
    task.objective = objective;
    task.rent[0].kind = PriceKind::Reserved;
    task.rent[0].share = 0.5;
    task.rent.push_back({.kind = PriceKind::Spot, .gpu_hour_price = {0.7, 1.1, 3.0}, .node_gpus = {4, 1, 8}});
    expect_same_answer(task);
  }
}

TEST(PlanSearch, WithoutItsSpotInstancesThePlanIsAnsweredToo) {
  PlanTask task = queue_task();
  task.rent[0].kind = PriceKind::Reserved;
  task.rent[0].share = 0.5;
  task.rent.push_back(
      {.kind = PriceKind::Spot, .gpu_hour_price = {0.7, 1.1, 3.0}, .day_prices = {}, .node_gpus = {}});
  task.space.gpus = {"slow"};
  task.space.tensor_parallel = {2};
  task.load.rate = 30;
  const QueueModel model(task);
  const SearchResult result = search_plan(task, model);
  ASSERT_TRUE(result.best.has_value());
  const PlanPoint& best = result.points[*result.best];
  ASSERT_EQ(best.shares.size(), 2U);
  ASSERT_GT(best.shares[1].fleet.instances, 0);
  bool said = false;
  for (const WhatIf& answer : what_ifs(task, model, result))
    if (answer.question == "all spot instances taken back") {
      said = true;
      EXPECT_EQ(answer.point->fleet.instances, best.shares[0].fleet.instances);
      EXPECT_FALSE(answer.meets);
    }
  EXPECT_TRUE(said);
}

TEST(PlanSearch, NoFleetTakesMoreOfTheRoomThanThereIs) {
  PlanTask task = queue_task();
  task.rooms = {{.gpus = 8, .power_kw = 10, .per_rack = 2}, {8, 5, 4, false}, {4, 6, 18, true}};
  const QueueModel model(task);
  const SearchResult free = search_plan(task, model);
  ASSERT_TRUE(free.best.has_value());
  task.max_power_kw = 10;
  expect_same_answer(task);
  const SearchResult limited = search_plan(task, model);
  for (const PlanPoint& point : limited.points) EXPECT_LE(*point.room->power_kw, 10);
  EXPECT_LT(limited.candidates, free.candidates);
  task.max_power_kw = 1;
  const SearchResult none = search_plan(task, model);
  EXPECT_FALSE(none.best.has_value());
  EXPECT_NE(none.without_point[0].example.find("or 1 kW (they take"), std::string::npos)
      << none.without_point[0].example;
}

TEST(PlanSearch, TheSameOverPoolsApartInWholeNodes) {
  PlanTask task = queue_task();
  task.space.pools = PoolLayout::Both;
  task.space.max_num_seqs = {64};
  task.space.quantizations = {"stored"};
  task.space.max_gpus = 16;
  task.rent[0].node_gpus = {8, 8, 8};
  expect_same_answer(task);
}

TEST(PlanSearch, TheSameAtTheHighestRateOfEightGpus) {
  PlanTask task = queue_task();
  task.load.rate = 0;
  task.find_max_rate = true;
  task.gpu_count = 8;
  expect_same_answer(task);
  const QueueModel model(task);
  const SearchResult result = search_plan(task, model);
  for (const PlanPoint& point : result.points) EXPECT_EQ(point.gpus, 8);
}

// Its runs of a closed form keep every limit, as runs do that end before the queue fills.
TEST(PlanSearch, AFleetThatServesLessThanItsLoadWhenSaturatedIsNone) {
  PlanTask task = queue_task();
  task.load.drawn = true;
  task.space.gpus = {"slow"};
  task.space.tensor_parallel = {2};
  task.space.max_num_seqs = {64};
  task.space.max_num_batched_tokens = {2048};
  task.space.quantizations = {"stored"};
  task.level.limits = parse_limits(std::vector<std::string>{"tpot_p95_ms=1000"});
  QueueModel model(task);
  const SearchResult before = search_plan(task, model);
  ASSERT_TRUE(before.best.has_value());
  const Fleet fleet = before.points[*before.best].fleet;
  model.saturated_rate = 0.9 * task.load.rate / double(fleet.instances);
  const SearchResult after = search_plan(task, model);
  ASSERT_TRUE(after.best.has_value());
  EXPECT_GT(after.points[*after.best].fleet.instances, fleet.instances);
  EXPECT_GE(after.points[*after.best].saturated_rate, task.load.rate);
  for (const WhatIf& answer : what_ifs(task, model, after))
    if (answer.question == "one instance fewer") {
      EXPECT_FALSE(answer.meets);
      EXPECT_EQ(answer.binding.name, "saturated_request_rate");
    }
  model.saturated_rate = 1e-3;
  const SearchResult none = search_plan(task, model);
  EXPECT_FALSE(none.best.has_value());
  ASSERT_FALSE(none.without_point.empty());
  EXPECT_EQ(none.without_point[0].reason, kOverload);
  EXPECT_LT(none.most_rate, task.load.rate);
}

TEST(PlanSearch, TheHighestRateIsNoMoreThanTheSaturatedOne) {
  PlanTask task = queue_task();
  task.load.rate = 0;
  task.load.drawn = true;
  task.find_max_rate = true;
  task.gpu_count = 8;
  task.level.limits = parse_limits(std::vector<std::string>{"tpot_p95_ms=1000"});
  QueueModel model(task);
  model.saturated_rate = 0.5;
  const SearchResult result = search_plan(task, model);
  ASSERT_TRUE(result.best.has_value());
  for (const PlanPoint& point : result.points)
    EXPECT_LE(point.rate, 0.5 * double(point.fleet.instances) * (1 + 1e-12));
}

// Fast with few requests in flight, slow with many, steadily in both.
TEST(PlanSearch, TheHighestRateIsOneAtWhichACrowdGoesAway) {
  PlanTask task = queue_task();
  task.load.rate = 0;
  task.load.drawn = task.load.open_ended = true;
  task.find_max_rate = true;
  task.gpu_count = 8;
  task.level.limits = parse_limits(std::vector<std::string>{"tpot_p95_ms=1000"});
  QueueModel model(task);
  const SearchResult before = search_plan(task, model);
  ASSERT_TRUE(before.best.has_value());
  const PlanPoint& best = before.points[*before.best];
  const double rate = best.rate / double(best.fleet.instances);
  for (const double share : {0.97, 0.8, 0.3}) {
    model.crowd_stays_above = share * rate;
    const SearchResult after = search_plan(task, model);
    ASSERT_TRUE(after.best.has_value());
    double highest = 0;
    for (const PlanPoint& point : after.points) {
      const double own = point.rate / double(point.fleet.instances);
      EXPECT_LE(own, model.crowd_stays_above * (1 + 1e-12));
      highest = std::max(highest, own);
    }
    EXPECT_GT(highest, (share - 2.0 / 64) * rate);
  }
}

RC_GTEST_PROP(PlanSearch, AnyLevelGetsTheExhaustiveAnswer, ()) {
  PlanTask task = queue_task();
  task.space.max_num_batched_tokens = {2048};
  task.load.rate = *rc::gen::inRange(1, 60);
  const int ttft = *rc::gen::inRange(50, 1500), tpot = *rc::gen::inRange(4, 80);
  task.level.limits = parse_limits(
      std::vector<std::string>{"ttft_p90_ms=" + std::to_string(ttft), "tpot_p50_ms=" + std::to_string(tpot)});
  const QueueModel model(task);
  const SearchResult pruned = search_plan(task, model);
  task.exhaustive = true;
  const SearchResult all = search_plan(task, model);
  RC_ASSERT(pruned.best.has_value() == all.best.has_value());
  if (all.best) RC_ASSERT(chosen(pruned.points[*pruned.best]) == chosen(all.points[*all.best]));
  RC_ASSERT(front_of(pruned, pruned.speed_front) == front_of(all, all.speed_front));
  RC_ASSERT(front_of(pruned, pruned.cost_front) == front_of(all, all.cost_front));
}

RC_GTEST_PROP(PlanSearch, EveryConfigurationHasOneFate, ()) {
  PlanTask task = queue_task();
  task.load.rate = *rc::gen::inRange(1, 400);
  task.exhaustive = *rc::gen::arbitrary<bool>();
  task.fronts = *rc::gen::arbitrary<bool>();
  const QueueModel model(task);
  const SearchResult result = search_plan(task, model);
  std::int64_t sum = result.with_point;
  for (const PlanCount& count : result.without_point) {
    RC_ASSERT(!count.reason.empty());
    sum += count.configurations;
  }
  RC_ASSERT(sum == result.configurations);
  for (const std::vector<std::size_t>* front : {&result.speed_front, &result.cost_front})
    for (const std::size_t i : *front)
      for (const PlanPoint& other : result.points)
        if (front == &result.speed_front && other.median_least)
          RC_ASSERT(!speed_of(other).dominates(speed_of(result.points[i])));
}

TEST(PlanSearch, CountsWhatCannotRunByReason) {
  const PlanTask task = queue_task();
  const QueueModel model(task);
  const SearchResult result = search_plan(task, model);
  const auto count = [&](std::string_view reason) {
    for (const PlanCount& each : result.without_point)
      if (each.reason == reason) return each.configurations;
    return std::int64_t{0};
  };
  EXPECT_EQ(result.configurations, 3 * 5 * 3 * 3 * 2);
  EXPECT_EQ(count(kNoSplit), 3 * 3 * 3 * 2);
  EXPECT_EQ(count(kNoMemory), 3 * 3 * 2);
}

TEST(PlanSearch, IsTheSameForAnyNumberOfThreads) {
  PlanTask task = queue_task();
  const QueueModel model(task);
  task.threads = 1;
  const SearchResult one = search_plan(task, model);
  task.threads = 4;
  const SearchResult four = search_plan(task, model);
  ASSERT_EQ(one.points.size(), four.points.size());
  for (std::size_t i = 0; i < one.points.size(); ++i)
    EXPECT_EQ(chosen(one.points[i]), chosen(four.points[i]));
  EXPECT_EQ(one.whole_runs, four.whole_runs);
}

TEST(PlanSearch, AFewConfigurationsThatAreLeftJoinTheLastRound) {
  PlanTask task = queue_task();
  const QueueModel model(task);
  std::vector<std::int64_t> decided{0};
  std::int64_t total = 0;
  task.on_progress = [&](const PlanProgress& progress) {
    if (progress.stage != "decided") return;
    decided.push_back(progress.done);
    total = progress.total;
  };
  search_plan(task, model);
  ASSERT_GT(decided.size(), 3U);
  EXPECT_EQ(decided.back(), total);
  for (std::size_t i = 1; i + 1 < decided.size(); ++i) EXPECT_EQ(decided[i] - decided[i - 1], 16);
  const std::int64_t last = total - decided[decided.size() - 2];
  EXPECT_GT(last, 8);
  EXPECT_LE(last, 24);
}

TEST(PlanSearch, SaysWhatCannotBeMetAndWhatComesNearest) {
  PlanTask task = queue_task();
  task.level.limits = parse_limits(std::vector<std::string>{"tpot_p95_ms=0.1", "ttft_p95_ms=600"});
  const QueueModel model(task);
  const SearchResult result = search_plan(task, model);
  EXPECT_TRUE(result.points.empty());
  ASSERT_EQ(result.least_possible.size(), 2U);
  EXPECT_GT(result.least_possible[0].use, 1);
  EXPECT_LT(result.least_possible[1].use, 1);
  task.exhaustive = true;
  const SearchResult all = search_plan(task, model);
  ASSERT_TRUE(all.nearest.has_value());
  EXPECT_EQ(all.nearest->binding.name, "tpot_p95_ms");
}

TEST(PlanSearch, StopsAtTheTimeLimitWithWhatItHas) {
  PlanTask task = queue_task();
  task.time_limit = 1e-9;
  const QueueModel model(task);
  const SearchResult result = search_plan(task, model);
  EXPECT_TRUE(result.partial);
  std::int64_t sum = result.with_point;
  for (const PlanCount& count : result.without_point) sum += count.configurations;
  EXPECT_EQ(sum, result.configurations);
}

TEST(PlanSearch, RefusesAnEmptySpace) {
  PlanTask task = queue_task();
  task.space.max_gpus = 1;
  task.space.tensor_parallel = {2};
  const QueueModel model(task);
  EXPECT_THROW(search_plan(task, model), InvalidInput);
  task.space.gpus.clear();
  EXPECT_THROW(search_plan(task, model), InvalidInput);
}

TEST(RunLog, ASearchGoesOnWithoutRepeatingARun) {
  const ScratchFolder folder;
  const PlanTask task = queue_task();
  const QueueModel model(task);
  const auto store = folder.path() / "runs.json";
  const LoggedRuns first(model, store, 7, "warploom 1");
  const SearchResult before = search_plan(task, first);
  first.write();
  const std::int64_t runs = model.runs();
  const LoggedRuns again(model, store, 7, "warploom 1");
  const SearchResult after = search_plan(task, again);
  EXPECT_EQ(model.runs(), runs) << "every run was known";
  ASSERT_EQ(before.points.size(), after.points.size());
  for (std::size_t i = 0; i < before.points.size(); ++i)
    EXPECT_EQ(run_figures_to_json(before.points[i].figures), run_figures_to_json(after.points[i].figures));
  EXPECT_THROW(LoggedRuns(model, store, 8, "warploom 1"), InvalidInput);
  EXPECT_THROW(LoggedRuns(model, store, 7, "warploom 2"), Unsupported);
  folder.write("other.json", "{}");
  EXPECT_THROW(LoggedRuns(model, folder.path() / "other.json", 7, "warploom 1"), InvalidInput);
}

TEST(WhatIfs, SayWhatBreaksWithoutOneInstanceAndWhatMoreLoadTakes) {
  const PlanTask task = queue_task();
  const QueueModel model(task);
  const SearchResult result = search_plan(task, model);
  const PlanPoint& best = result.points[*result.best];
  for (const WhatIf& answer : what_ifs(task, model, result)) {
    if (answer.question == "one instance fewer") {
      EXPECT_LT(answer.point->gpus, best.gpus);
      EXPECT_FALSE(answer.meets) << "the best fleet was the least";
    }
    if (answer.question == "load x 1.5") {
      EXPECT_TRUE(answer.meets);
      EXPECT_GT(answer.point->gpus, best.gpus);
    }
  }
}

}  // namespace
}  // namespace warploom
