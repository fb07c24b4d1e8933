// The parts of the search, each by itself.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/planner/configuration_answer.h"
#include "warploom/planner/gpu_prices.h"
#include "warploom/planner/load_profile.h"
#include "warploom/planner/pareto.h"
#include "warploom/planner/rented_gpus.h"
#include "warploom/planner/run_error.h"
#include "warploom/planner/saturation.h"
#include "warploom/planner/search_space.h"
#include "warploom/planner/service_level.h"
#include "warploom/planner/step_ladder.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

TEST(Pareto, KeepsWhatNothingDominatesInOrder) {
  const std::vector<Tradeoff> points{{3, 1}, {1, 3}, {2, 2}, {2, 2}, {3, 3}, {1, 4}};
  EXPECT_EQ(pareto_front(points), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_TRUE(is_covered(points, {2, 2}));
  EXPECT_FALSE(is_covered(points, {1.5, 2}));
}

RC_GTEST_PROP(Pareto, FrontHoldsNoDominatedPointAndCoversTheRest, ()) {
  const auto numbers = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 20), rc::gen::inRange(0, 20)));
  std::vector<Tradeoff> points, front;
  for (const auto& [a, b] : numbers) points.push_back({double(a), double(b)});
  for (const std::size_t i : pareto_front(points)) front.push_back(points[i]);
  for (const Tradeoff& a : front)
    for (const Tradeoff& b : points) RC_ASSERT(!b.dominates(a));
  for (const Tradeoff& point : points) RC_ASSERT(is_covered(front, point));
}

TEST(ServiceLevel, ReadsLimitsAndRefusesOthers) {
  const auto limits =
      parse_limits(std::vector<std::string>{"ttft_p95_ms=800,tpot_mean_ms=40", "e2el_p50_ms=9e3"});
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_EQ(limits[0].name(), "ttft_p95_ms");
  EXPECT_DOUBLE_EQ(limits[1].limit.value(), 0.04);
  EXPECT_EQ(limits[2].metric, LatencyMetric::E2el);
  for (const char* wrong : {"ttft=800", "ttft_p95_ms", "ttft_p96_ms=3", "ttft_p95_ms=-3", "ttft_p95_ms=fast",
                            "ttft_p95_ms=1,ttft_p95_ms=2"})
    EXPECT_THROW(parse_limits(std::vector<std::string>{wrong}), InvalidInput) << wrong;
  EXPECT_DOUBLE_EQ(parse_goodput_limits(std::vector<std::string>{"ttft:500,tpot:20"}).tpot->value(), 0.02);
  for (const char* wrong : {"ttft=5", "itl:5", "ttft:0", "ttft:5,ttft:6"})
    EXPECT_THROW(parse_goodput_limits(std::vector<std::string>{wrong}), InvalidInput) << wrong;
}

TEST(ServiceLevel, TheHighestUseBinds) {
  ServiceLevel level{.limits = parse_limits(std::vector<std::string>{"ttft_p95_ms=100,tpot_p95_ms=10"})};
  level.goodput.ttft = milliseconds(50);
  level.goodput_share = 0.9;
  RunFigures figures;
  figures.metrics.ttft.p95 = milliseconds(50);
  figures.metrics.tpot.p95 = milliseconds(9);
  figures.goodput_share = 0.95;
  EXPECT_EQ(binding_limit(level, figures).name, "goodput_share");
  figures.metrics.tpot.p95 = milliseconds(20);
  EXPECT_DOUBLE_EQ(binding_limit(level, figures).use, 2);
}

TEST(ServiceLevel, AFleetThatFallsBehindMissesItWhateverTheLimitsLookAt) {
  const ServiceLevel level{.limits = parse_limits(std::vector<std::string>{"tpot_p95_ms=100"})};
  RunFigures figures;
  figures.metrics.tpot.p95 = milliseconds(10);
  const PlanTask task{.level = level};
  figures.metrics.completed = 1;
  EXPECT_TRUE(meets(task, figures));
  for (const Steadiness each : {Steadiness::Growing, Steadiness::TooShort, Steadiness::Unsettled}) {
    figures.length.steadiness = each;
    figures.length.finite = false;
    EXPECT_FALSE(meets(task, figures)) << name_of(each);
    EXPECT_EQ(binding_limit(level, figures).name, "backlog_growth_share");
    // A load that ends is judged by its end, unless its queue grew.
    figures.length.finite = true;
    EXPECT_EQ(meets(task, figures), each != Steadiness::Growing) << name_of(each);
  }
}

TEST(ServiceLevel, BeingSureTakesTheLengthOfTheRunIn) {
  PlanTask task{.level = {.limits = parse_limits(std::vector<std::string>{"ttft_p95_ms=100"})}};
  RunFigures figures;
  figures.metrics.completed = 1;
  figures.metrics.ttft.p95 = milliseconds(95);
  figures.errors = {0.002};
  figures.batches = 11;
  EXPECT_TRUE(meets(task, figures, true)) << "1.37 errors above are 97.7 ms";
  figures.errors = {0.004};
  EXPECT_FALSE(meets(task, figures, true)) << "1.37 errors above are 100.5 ms";
  EXPECT_TRUE(meets(task, figures));
  const LimitUse use = binding_limit(task.level, figures);
  EXPECT_NEAR(use.high - use.figure, 3.169 * 4, 0.05) << "Student's t of ten degrees of freedom at 99.5 %";
  EXPECT_NEAR(use.figure - use.low, use.high - use.figure, 1e-9);
}

// A run at p90 that uses a limit whole with its error uses the shortened one whole without.
TEST(RunError, ShortensALevelByWhatItAddsToARun) {
  ServiceLevel level{.limits = parse_limits(std::vector<std::string>{
                         "ttft_p95_ms=800,tpot_p50_ms=40,itl_p99_ms=90,e2el_mean_ms=9000"}),
                     .goodput = parse_goodput_limits(std::vector<std::string>{"ttft:500,tpot:20"})};
  RunFigures plain;
  plain.metrics.ttft.p95 = milliseconds(750);
  plain.metrics.tpot.p50 = milliseconds(39);
  plain.metrics.itl.p99 = milliseconds(70);
  plain.metrics.e2el.mean = milliseconds(8000);
  plain.goodput_share = 1;
  RunFigures lengthened = plain;
  add_run_error(lengthened.metrics);
  EXPECT_GT(lengthened.metrics.ttft.p95, plain.metrics.ttft.p95);
  const ServiceLevel shortened = less_run_error(level);
  const auto without = limit_uses(shortened, plain), with = limit_uses(level, lengthened);
  for (std::size_t i = 0; i < with.size(); ++i)
    EXPECT_NEAR(with[i].use, without[i].use, 1e-12) << with[i].name;
  EXPECT_GT(with[0].use, 1) << "the promise of 750 ms of 800 does not survive what a first token errs";
  EXPECT_LT(with[2].use, 1);
  EXPECT_LT(*shortened.goodput.ttft, *level.goodput.ttft);
  EXPECT_FALSE(shortened.goodput.e2el.has_value());
}

TEST(GpuPrices, APriceMayBeOfOneKindAlone) {
  const GpuCatalog catalog;
  GpuPrices prices;
  prices.add_text("H200:spot=1.9", catalog);
  EXPECT_DOUBLE_EQ(prices.require("h200_sxm", PriceKind::Spot).usd_per_gpu_hour, 1.9);
  EXPECT_FALSE(prices.find("h200_sxm", PriceKind::OnDemand).has_value());
  EXPECT_THROW(prices.add_text("H200:cheap=1.9", catalog), Error);
}

TEST(GpuPrices, ShippedOnesHaveASourceAndADate) {
  const GpuCatalog catalog;
  const GpuPrices prices = GpuPrices::shipped(catalog);
  EXPECT_GT(prices.all().size(), 20U);
  for (const GpuPrice& price : prices.all()) {
    EXPECT_FALSE(price.source.empty()) << price.gpu;
    EXPECT_EQ(price.date.size(), 10U) << price.gpu;
  }
  EXPECT_LT(prices.require("h100_sxm", PriceKind::Reserved).usd_per_gpu_hour,
            prices.require("h100_sxm", PriceKind::OnDemand).usd_per_gpu_hour);
}

TEST(GpuPrices, OnesOwnComeFirstAndAnUnknownOneSaysHowToGiveIt) {
  const GpuCatalog catalog;
  GpuPrices prices = GpuPrices::shipped(catalog);
  prices.add_text("H200=1.25", catalog);
  EXPECT_DOUBLE_EQ(prices.require("h200_sxm", PriceKind::Spot).usd_per_gpu_hour, 1.25);
  try {
    (void)prices.require("p4", PriceKind::OnDemand);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("`price` p4="), std::string::npos) << error.what();
  }
  EXPECT_THROW(prices.add_text("H200", catalog), InvalidInput);
  EXPECT_THROW(prices.add_text("H200=0", catalog), InvalidInput);
  EXPECT_THROW(prices.add_text("H999=1", catalog), NotFound);
  const Json bad = {{"schema", "warploom_gpu_prices"},
                    {"version", 1},
                    {"prices",
                     {{{"gpu", "H200"},
                       {"kind", "spot"},
                       {"usd_per_gpu_hour", -1},
                       {"source", "s"},
                       {"date", "2026-01-01"}}}}};
  EXPECT_THROW(prices.add_document(bad, "mine.json", catalog), InvalidInput);
  EXPECT_THROW(prices.add_document({{"schema", "warploom_gpu_prices"}, {"version", 2}}, "mine.json", catalog),
               Unsupported);
}

TEST(GpuPrices, SaysWhichAreRentedAsWholeNodes) {
  const GpuCatalog catalog;
  const GpuPrices prices = GpuPrices::shipped(catalog);
  EXPECT_TRUE(prices.require("gb200", PriceKind::OnDemand).whole_nodes);
  EXPECT_TRUE(prices.require("h100_sxm", PriceKind::Spot).whole_nodes);
  EXPECT_FALSE(prices.require("h100_sxm", PriceKind::OnDemand).whole_nodes);
}

TEST(RentedGpus, AreWholeNodes) {
  Configuration two;
  two.shape.tensor_parallel = 2;
  EXPECT_EQ(rented_gpus({}, two, {6, 0}), (RentedGpus{12, 0, 0}));
  EXPECT_EQ(rented_gpus({1}, two, {6, 0}), (RentedGpus{12, 0, 0}));
  EXPECT_EQ(rented_gpus({8}, two, {6, 0}), (RentedGpus{16, 0, 2}));
  EXPECT_EQ(rented_gpus({8}, two, {8, 0}), (RentedGpus{16, 0, 2}));
  EXPECT_EQ(rented_gpus({8}, two, {9, 0}), (RentedGpus{24, 0, 3}));
  Configuration three;
  three.shape.tensor_parallel = 3;
  EXPECT_EQ(rented_gpus({8}, three, {3, 0}), (RentedGpus{16, 0, 2})) << "two of three GPUs fit a node";
  Configuration wide;
  wide.shape.tensor_parallel = 16;
  EXPECT_EQ(rented_gpus({8}, wide, {3, 0}), (RentedGpus{48, 0, 6}));
  wide.shape.tensor_parallel = 12;
  EXPECT_EQ(rented_gpus({8}, wide, {2, 0}), (RentedGpus{32, 0, 4}));
}

TEST(RentedGpus, PoolsOfOneGpuShareNodesWhereTheyFillThem) {
  Configuration pools;
  pools.shape.tensor_parallel = 2;
  pools.decode = EngineShape{.gpu = 0, .tensor_parallel = 4};
  EXPECT_EQ(rented_gpus({8, 8}, pools, {1, 1}), (RentedGpus{8, 0, 1}));
  EXPECT_EQ(rented_gpus({8, 8}, pools, {3, 2}), (RentedGpus{8, 8, 2}));
  pools.decode->gpu = 1;
  EXPECT_EQ(rented_gpus({8, 8}, pools, {1, 1}), (RentedGpus{8, 8, 2}));
  EXPECT_EQ(rented_gpus({8, 1}, pools, {1, 1}), (RentedGpus{8, 4, 1}));
  EXPECT_EQ(rented_gpus({1, 8}, pools, {1, 1}), (RentedGpus{2, 8, 1}));
  pools.decode = EngineShape{.gpu = 0, .tensor_parallel = 3};
  EXPECT_EQ(rented_gpus({8, 8}, pools, {1, 1}), (RentedGpus{8, 8, 2})) << "sizes that leave gaps";
}

RC_GTEST_PROP(RentedGpus, AreNoFewerThanRunAndGrowWithTheFleet, ()) {
  Configuration configuration;
  configuration.shape.tensor_parallel = *rc::gen::inRange(1, 17);
  if (*rc::gen::arbitrary<bool>())
    configuration.decode =
        EngineShape{.gpu = std::size_t(*rc::gen::inRange(0, 2)), .tensor_parallel = *rc::gen::inRange(1, 17)};
  const std::vector<std::int64_t> nodes{*rc::gen::element(1, 4, 8), *rc::gen::element(1, 4, 8)};
  const Fleet fleet{*rc::gen::inRange(1, 20), configuration.decode ? *rc::gen::inRange(1, 20) : 0};
  const RentedGpus rented = rented_gpus(nodes, configuration, fleet);
  RC_ASSERT(rented.gpus() >= gpus_of(configuration, fleet));
  RC_ASSERT(rented.gpus() <= rented_gpus(nodes, configuration, {fleet.instances + 1, fleet.decode}).gpus());
  if (configuration.decode)
    RC_ASSERT(rented.gpus() <= rented_gpus(nodes, configuration, {fleet.instances, fleet.decode + 1}).gpus());
}

TEST(SearchSpace, CountsTheProductOfItsLists) {
  SearchSpace space;
  space.gpus = {"a", "b"};
  space.tensor_parallel = {1, 2, 4};
  space.data_parallel = {1, 2};
  space.max_num_seqs = {8, 16};
  const auto count = [&](bool mixture) {
    std::size_t number = 0;
    visit_configurations(space, mixture, [&](const Configuration&) { ++number; });
    return number;
  };
  EXPECT_EQ(count(false), 2U * 3 * 2 * 2);
  // Expert parallelism both ways but on one GPU.
  EXPECT_EQ(count(true), 2U * (3 * 2 * 2 - 1) * 2);
  space.pools = PoolLayout::Disaggregated;
  EXPECT_EQ(count(false), 12U * 12 * 2);
}

TEST(SearchSpace, ExpertsLieApartWhereTokensAreProduced) {
  SearchSpace space;
  space.gpus = {"one"};
  space.tensor_parallel = {1};
  space.data_parallel = {4};
  space.expert_parallel = Tried::On;
  space.feed_forward_ranks = {0, 2};
  space.micro_batches = {2, 3};
  space.redundant_experts = {0, 8};
  space.pools = PoolLayout::Both;
  std::int64_t whole = 0, apart = 0;
  visit_configurations(space, true, [&](const Configuration& configuration) {
    const EngineShape& shape = configuration.decode.value_or(configuration.shape);
    (shape.feed_forward_ranks > 0 ? apart : whole) += 1;
    EXPECT_TRUE(!configuration.decode || configuration.shape.feed_forward_ranks == 0);
    EXPECT_EQ(shape.gpus(), 4 + shape.feed_forward_ranks);
    EXPECT_EQ(shape.micro_batches > 0, shape.feed_forward_ranks > 0);
  });
  EXPECT_EQ(whole, 2 + 2 * 2) << "replicas or none; behind a pool of prompts with either";
  EXPECT_EQ(apart, 2 * whole) << "of two or three micro-batches";
  std::int64_t dense = 0;
  visit_configurations(space, false, [&](const Configuration&) { ++dense; });
  EXPECT_EQ(dense, 2) << "a dense model has one way in each layout";
}

TEST(SearchSpace, FleetsComeCheapestFirst) {
  Configuration configuration;
  configuration.shape.tensor_parallel = 2;
  const auto price = [&](const Fleet& fleet) { return double(gpus_of(configuration, fleet)); };
  EXPECT_EQ(fleets_of(configuration, 8, 0, 0, price).size(), 4U);
  EXPECT_EQ(fleets_of(configuration, 8, 6, 0, price), (std::vector<Fleet>{{3, 0}}));
  EXPECT_EQ(fleets_of(configuration, 8, 0, 1, price).front(), (Fleet{2, 0}));
  EXPECT_TRUE(fleets_of(configuration, 8, 7, 0, price).empty());
  configuration.decode = configuration.shape;
  const auto fleets = fleets_of(configuration, 8, 0, 0, price);
  EXPECT_EQ(fleets.size(), 6U);
  EXPECT_EQ(fleets.front(), (Fleet{1, 1}));
}

TEST(LoadProfile, CountsSharedPartsOnceWhereACacheHoldsThem) {
  Workload workload;
  workload.requests = {{.input_tokens = 100, .output_tokens = 10},
                       {.input_tokens = 120, .output_tokens = 30}};
  workload.content = {{1, 80}, {2, 20}, {1, 80}, {3, 40}};
  workload.content_begin = {0, 2, 4};
  EXPECT_DOUBLE_EQ(profile_of(workload, false).mean_input, 110);
  EXPECT_DOUBLE_EQ(profile_of(workload, true).mean_input, 70);
  EXPECT_EQ(profile_of(workload, true).longest, 150);
  const Workload first = first_requests(workload, 1);
  EXPECT_EQ(first.requests.size(), 1U);
  EXPECT_EQ(first.content.size(), 2U);
  check_workload(first);
}

TEST(LoadProfile, ASharePicksTheTurnsOfTheFirstInstances) {
  Workload workload;
  for (std::int32_t i = 0; i < 7; ++i) workload.requests.push_back({SimTime(i), 10 + i, 5});
  const Workload share = share_of(workload, 2, 3);
  ASSERT_EQ(share.requests.size(), 5U);
  EXPECT_EQ(share.origin, (std::vector<std::uint32_t>{0, 1, 3, 4, 6}));
  EXPECT_EQ(share.requests[3].input_tokens, 14);
  check_workload(share);
}

TEST(StepLadder, BatchesAreNoLargerThanTheCacheHolds) {
  LoadProfile load;
  load.mean_held = 750;
  EXPECT_EQ(most_in_flight(load, {.max_num_seqs = 1024, .kv_tokens = 75000}), 100);
  EXPECT_EQ(most_in_flight(load, {.max_num_seqs = 64, .kv_tokens = 75000}), 64);
  EXPECT_EQ(most_in_flight(load, {.max_num_seqs = 64}), 64);
}

// A server with `slots` places, in each of which requests of ten tokens follow each other, a second each.
std::vector<RequestRecord> waves_of(std::int64_t requests, std::int64_t slots) {
  std::vector<RequestRecord> records;
  for (std::int64_t i = 0; i < requests; ++i) {
    RequestRecord record;
    const Seconds begin(double(i / slots) + 0.4 * double(i % slots) / double(slots));
    record.scheduled = record.first_token = to_sim_time(begin);
    record.last_token = to_sim_time(begin + Seconds(1.0));
    record.output_tokens = record.tokens_emitted = 10;
    records.push_back(record);
  }
  return records;
}

TEST(Saturation, CountsWhatIsServedWhileRequestsWait) {
  EXPECT_NEAR(served_while_waiting(waves_of(2000, 100)), 100, 2);
  EXPECT_NEAR(served_while_waiting(waves_of(400, 100)), 100, 10);
  EXPECT_EQ(served_while_waiting({}), 0);
}

// Whatever mix of steps a scheduler finds, it takes no less time than the bound, and no request is faster.
RC_GTEST_PROP(StepLadder, BoundsEverySimulatedRun, ()) {
  const LinearStepTime time{.per_step = milliseconds(*rc::gen::inRange(1, 30)),
                            .per_token = microseconds(*rc::gen::inRange(1, 200)),
                            .per_prompt_token = microseconds(*rc::gen::inRange(0, 200))};
  LinearStepPricer pricer(time);
  ServingConfig config;
  config.max_num_seqs = *rc::gen::element(1, 4, 16, 64);
  config.max_num_batched_tokens = *rc::gen::element(256, 1024);
  config.block_size = 16;
  config.gpu_memory_utilization = 0.9;
  SyntheticLengths lengths{.requests = 40,
                           .input_tokens = *rc::gen::inRange(2, 900),
                           .output_tokens = *rc::gen::inRange(1, 60),
                           .range_ratio = 0.5};
  Workload workload = synthetic_workload(lengths, 1);
  set_poisson_arrivals(workload, double(*rc::gen::inRange(1, 200)), 1);
  const LoadProfile load = profile_of(workload, true);
  const EngineBounds bounds = bounds_of(
      pricer, load,
      {.max_num_seqs = *config.max_num_seqs, .max_num_batched_tokens = *config.max_num_batched_tokens},
      {0.5, 0.95});
  const ServingMetrics metrics = simulate(config, workload, pricer).metrics;
  RC_ASSERT(metrics.completed == 40);
  RC_ASSERT(metrics.duration.value() >= bounds.seconds_per_request * 40 * (1 - 1e-9));
  RC_ASSERT(metrics.ttft.p50.value() >= bounds.first_token_at(0.5) * (1 - 1e-9));
  RC_ASSERT(metrics.ttft.p95.value() >= bounds.first_token_at(0.95) * (1 - 1e-9));
  if (load.outputs.front() > 1) RC_ASSERT(metrics.tpot.p50.value() >= bounds.per_token * (1 - 1e-9));
}

}  // namespace
}  // namespace warploom
