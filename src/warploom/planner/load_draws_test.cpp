#include "warploom/planner/load_draws.h"

#include <gtest/gtest.h>

#include "warploom/planner/plan_search.h"
#include "warploom/planner/queue_model_test.h"

namespace warploom {
namespace {

PlanTask task_of_tpot(double limit_ms) {
  PlanTask task = queue_task();
  task.level.limits = {{LatencyMetric::Tpot, LatencyStatistic::P95, milliseconds(limit_ms)}};
  task.draws = 5;
  return task;
}

RunFigures with_tpot(double ms) {
  RunFigures figures;
  figures.metrics.tpot.p95 = milliseconds(ms);
  figures.metrics.completed = 1000;
  figures.length.finite = true;
  return figures;
}

std::vector<RunFigures> draws_of(std::vector<double> values) {
  std::vector<RunFigures> draws;
  for (const double ms : values) draws.push_back(with_tpot(ms));
  return draws;
}

TEST(LoadDraws, TheMeanAndItsEndDecideNoSingleDraw) {
  const PlanTask task = task_of_tpot(30);
  EXPECT_TRUE(meets_over_draws(task, draws_of({28.3, 28.7, 28.4, 30.2, 28.0})));
  EXPECT_FALSE(meets_over_draws(task, draws_of({29.9, 30.5, 29.5, 30.1, 29.4})))
      << "29.88 and 0.30 beyond it";
  EXPECT_FALSE(meets_over_draws(task, draws_of({31, 31, 31, 31, 31})));
}

TEST(LoadDraws, SayHowFarTheyAreApart) {
  const LoadSpread spread = spread_of(task_of_tpot(30), draws_of({28, 30, 29, 29, 29}));
  ASSERT_EQ(spread.figures.size(), 4U) << "the limit, and TTFT and TPOT that nobody limits";
  const DrawnFigure& tpot = spread.figures[0];
  EXPECT_EQ(tpot.name, "tpot_p95_ms");
  EXPECT_DOUBLE_EQ(tpot.low, 28);
  EXPECT_DOUBLE_EQ(tpot.mean, 29);
  EXPECT_DOUBLE_EQ(tpot.high, 30);
  // s = sqrt(2 / 4), t = 1.533 of four degrees of freedom.
  EXPECT_NEAR(tpot.sure, 29 + 1.533 * std::sqrt(0.5) / std::sqrt(5), 0.003);
  EXPECT_TRUE(tpot.kept);
  EXPECT_EQ(spread.figures[1].name, "ttft_mean_ms");
  EXPECT_EQ(spread.figures[1].limit, 0);
}

TEST(LoadDraws, AShareMustBeReachedAtItsLowerEnd) {
  PlanTask task = queue_task();
  task.level.limits.clear();
  task.level.goodput.ttft = milliseconds(500);
  task.level.goodput_share = 0.95;
  std::vector<RunFigures> draws(5, with_tpot(1));
  const double shares[]{0.96, 0.955, 0.952, 0.97, 0.951};
  for (std::size_t i = 0; i < draws.size(); ++i) draws[i].goodput_share = shares[i];
  const LoadSpread spread = spread_of(task, draws);
  EXPECT_LT(spread.figures[0].sure, spread.figures[0].mean);
  EXPECT_TRUE(meets_over_draws(task, draws));
  draws[3].goodput_share = 0.9;
  EXPECT_FALSE(meets_over_draws(task, draws));
}

TEST(LoadDraws, OneOfFiveMayFallBehindItsLoadByChance) {
  const PlanTask task = task_of_tpot(30);
  std::vector<RunFigures> draws = draws_of({20, 20, 20, 20, 20});
  EXPECT_TRUE(meets_over_draws(task, draws));
  for (const std::size_t i : {4, 0}) {
    draws[i].length.steadiness = Steadiness::Growing;
    draws[i].length.growth = draws[i].length.growth_high = 0.2;
    EXPECT_EQ(meets_over_draws(task, draws), i == 4) << i;
    EXPECT_EQ(spread_of(task, draws).figures.size(), 4U) << "that it falls behind is no figure";
  }
  EXPECT_FALSE(meets_over_draws(task, std::span(draws).subspan(1))) << "one of four";
}

TEST(LoadDraws, ARunLeavesOpenWhatItsIntervalHolds) {
  const PlanTask task = task_of_tpot(30);
  RunFigures figures = with_tpot(30.5);
  EXPECT_TRUE(is_open(task, figures, false)) << "no interval, and little beyond the limit";
  EXPECT_FALSE(is_open(task, with_tpot(40), false));
  figures.batches = 10;
  figures.errors = {milliseconds(0.5).value()};
  EXPECT_TRUE(is_open(task, figures, false)) << "99 %: 28.9 to 32.1";
  figures.errors = {milliseconds(0.1).value()};
  EXPECT_FALSE(is_open(task, figures, false)) << "99 %: 30.2 to 30.8";
}

TEST(LoadDraws, AGrowthOfHardlyAnythingLeavesOpenWhetherARunFallsBehind) {
  const PlanTask task = task_of_tpot(30);
  RunFigures figures = with_tpot(20);
  for (const Steadiness steadiness : {Steadiness::Growing, Steadiness::Unsettled}) {
    figures.length = {.steadiness = steadiness, .lives = 2000, .growth = 0.0013, .growth_high = 0.0019};
    ASSERT_TRUE(falls_behind(figures));
    EXPECT_TRUE(is_open(task, figures, false));
    EXPECT_TRUE(is_open(task, figures, true));
    figures.length.growth_high = 0.021;
    EXPECT_FALSE(is_open(task, figures, false)) << "more may pile up than what is called steady";
    figures.length = {.steadiness = steadiness, .lives = 9, .growth_high = 0.0019};
    EXPECT_FALSE(is_open(task, figures, false)) << "too short to know";
  }
  PlanTask highest = task;
  highest.find_max_rate = true;
  figures.length = {.steadiness = Steadiness::Growing, .lives = 2000, .growth_high = 0.0019};
  EXPECT_FALSE(is_open(highest, figures, false)) << "rates beyond the highest are many";
  RunFigures beyond = with_tpot(40);
  beyond.length = {.steadiness = Steadiness::Growing, .lives = 2000, .growth_high = 0.0019};
  EXPECT_FALSE(is_open(task, beyond, false)) << "misses its limit anyhow";
}

TEST(LoadDraws, StudentsTIsThatOfTables) {
  const double table[]{3.078, 1.886, 1.638, 1.533, 1.476};
  for (std::size_t freedom = 1; freedom <= 5; ++freedom)
    EXPECT_NEAR(student_t90(freedom), table[freedom - 1], 0.01) << freedom;
}

// Draws after the first are worse for the fastest GPU, and a little apart for all.
class DrawnQueue final : public ConfigurationModel {
 public:
  explicit DrawnQueue(const PlanTask& task) : queue_(task) {}
  Screened screen(const Configuration& configuration) const override { return queue_.screen(configuration); }
  RunFigures run(const Configuration& configuration, const Fleet& fleet,
                 const RunQuestion& question) const override {
    RunFigures figures = queue_.run(configuration, fleet, question);
    const bool unlucky = configuration.shape.gpu == 2 && question.draw > 0;
    const double factor = (unlucky ? 20.0 : 1.0) * (1 + 0.002 * double(question.draw));
    for (LatencySummary* summary : {&figures.metrics.ttft, &figures.metrics.tpot})
      for (Seconds* value : {&summary->mean, &summary->p50, &summary->p90, &summary->p95, &summary->p99})
        *value = *value * factor;
    return figures;
  }

 private:
  QueueModel queue_;
};

PlanTask drawn_task() {
  PlanTask task = queue_task();
  task.space.quantizations = {"stored"};
  task.space.max_num_batched_tokens = {2048};
  // So cheap that it is the best by one draw.
  task.rent[0].gpu_hour_price = {1.0, 2.3, 1.1};
  return task;
}

TEST(PlanSearch, TheBestByOneDrawMakesRoomWhereTheOthersRefuseIt) {
  PlanTask task = drawn_task();
  const DrawnQueue model(task);
  const SearchResult one = search_plan(task, model);
  ASSERT_TRUE(one.best.has_value());
  EXPECT_FALSE(one.points[*one.best].spread.has_value());
  task.draws = 5;
  const SearchResult five = search_plan(task, model);
  ASSERT_TRUE(five.best.has_value());
  const PlanPoint &alone = one.points[*one.best], &best = five.points[*five.best];
  EXPECT_EQ(alone.configuration.shape.gpu, 2U);
  EXPECT_TRUE(best.fleet.instances > alone.fleet.instances || best.configuration.shape.gpu != 2U);
  EXPECT_GE(best.objective, alone.objective);
  ASSERT_TRUE(best.spread.has_value());
  EXPECT_EQ(best.spread->draws, 5);
  ASSERT_TRUE(best.spread->instances.has_value());
  EXPECT_LE(best.spread->instances->high, best.fleet.instances);
  ASSERT_TRUE(five.best_confident.has_value());
  EXPECT_TRUE(five.points[*five.best_confident].pessimistic_spread.has_value());
}

TEST(PlanSearch, AllFinalistsAreJudgedByEveryDraw) {
  PlanTask task = drawn_task();
  task.draws = 4;
  task.finalists = 3;
  const DrawnQueue model(task);
  const SearchResult result = search_plan(task, model);
  ASSERT_GE(result.points.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(result.points[i].spread.has_value()) << i;
  std::int64_t counted = result.with_point;
  for (const PlanCount& count : result.without_point) counted += count.configurations;
  EXPECT_EQ(counted, result.configurations) << "every configuration has one fate";
}

TEST(PlanSearch, SeveralDrawsFindTheSameWinnersExhaustively) {
  PlanTask task = drawn_task();
  task.draws = 5;
  const DrawnQueue model(task);
  const SearchResult pruned = search_plan(task, model);
  task.exhaustive = true;
  const SearchResult all = search_plan(task, model);
  const auto chosen = [](const SearchResult& result, const std::optional<std::size_t>& place) {
    return std::pair(result.points[*place].configuration, result.points[*place].fleet);
  };
  ASSERT_TRUE(pruned.best && all.best && pruned.best_confident && all.best_confident);
  EXPECT_EQ(chosen(pruned, pruned.best), chosen(all, all.best));
  EXPECT_EQ(chosen(pruned, pruned.best_confident), chosen(all, all.best_confident));
}

}  // namespace
}  // namespace warploom
