#include "warploom/serving/pricing/afd_step_pricer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

#include "warploom/serving/pricing/afd_bench_test.h"

namespace warploom {
namespace {

// Every pass of every micro-batch, one after another: what the closed form must be.
double played_time(const AfdTimes& times, std::int64_t layers, std::int64_t micro_batches) {
  const double each = 1.0 / double(layers);
  const std::array<double, 4> places{times.attention * each, times.to_experts * each, times.experts * each,
                                     times.from_experts * each};
  std::array<double, 4> free{};
  std::vector<double> ready(std::size_t(micro_batches), 0);
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (double& at : ready)
      for (std::size_t place = 0; place < places.size(); ++place)
        at = free[place] = std::max(at, free[place]) + places[place];
  return *std::max_element(ready.begin(), ready.end());
}

AfdTimes some_times() {
  const auto time = [] { return double(*rc::gen::inRange(0, 1000)) * 1e-5; };
  return {time(), time(), time(), time()};
}

RC_GTEST_PROP(AfdPipeline, ClosedFormIsWhatMicroBatchesTake, ()) {
  const AfdTimes times = some_times();
  const std::int64_t layers = *rc::gen::inRange(1, 70), micro = *rc::gen::inRange(1, 6);
  const double played = played_time(times, layers, micro);
  RC_ASSERT(std::abs(afd_step_time(times, layers, micro) - played) <= 1e-9 + 1e-9 * played);
}

RC_GTEST_PROP(AfdPipeline, LiesBetweenTheSlowestPlaceAndAllInTurn, ()) {
  const AfdTimes times = some_times();
  const std::int64_t layers = *rc::gen::inRange(1, 70), micro = *rc::gen::inRange(1, 6);
  const double step = afd_step_time(times, layers, micro), slack = 1 + 1e-12;
  RC_ASSERT(step * slack >= double(micro) * times.slowest());
  RC_ASSERT(step * slack >= times.in_turn());
  RC_ASSERT(step <= double(micro) * times.in_turn() * slack);
  RC_ASSERT(afd_exposed_time(times, layers, micro) * slack >= step);
}

StepBatch decoding(const std::vector<std::int32_t>& contexts, std::int64_t groups) {
  StepBatch batch;
  batch.set_decode(contexts);
  batch.emitting = batch.logits_rows = batch.widest_rank_tokens = batch.narrowest_rank_tokens =
      batch.decode_requests;
  batch.group_tokens = groups * batch.decode_requests;
  return batch;
}

double step_us(const Sharding& sharding, std::int64_t micro, const AfdLatency& latency, int requests,
               int context = 700) {
  AfdBench bench(sharding, micro, latency);
  const std::vector<std::int32_t> contexts(std::size_t(requests), context);
  return to_microseconds(bench.pricer.price(decoding(contexts, sharding.attention_data_parallel)).p50);
}

// With links that take nothing and one micro-batch a step is attention and feed-forward in turn: what one
// engine takes whose experts are as many ranks.
RC_GTEST_PROP(AfdStepPricer, WithoutLinksOneMicroBatchIsBothSidesInTurn, ()) {
  const std::int64_t ranks = std::int64_t(1) << *rc::gen::inRange(0, 5);
  const int requests = *rc::gen::inRange(1, 200);
  const bool gate = *rc::gen::arbitrary<bool>();
  const AfdLatency none(1e30, 0);
  const Sharding apart{.expert_parallel = ranks,
                       .attention_data_parallel = ranks,
                       .feed_forward_ranks = ranks,
                       .gate_on_attention = gate};
  const Sharding together{.expert_parallel = ranks, .attention_data_parallel = ranks};
  AfdBench bench(apart, 1, none);
  OperatorStepPricer whole(StepPlan(bench.model, together), {bench.latency.get(), bench.gpu.get(), {}}, {});
  const std::vector<std::int32_t> contexts(std::size_t(requests), 900);
  const StepBatch batch = decoding(contexts, ranks);
  const double one = whole.price(batch).p50.value(), both = bench.pricer.price(batch).p50.value();
  RC_ASSERT(std::abs(both / one - 1) < 1e-9);
}

RC_GTEST_PROP(AfdStepPricer, TwiceTheFeedForwardRanksNeverTakeLonger, ()) {
  const std::int64_t ranks = std::int64_t(1) << *rc::gen::inRange(0, 5), groups = *rc::gen::inRange(1, 40);
  const std::int64_t micro = *rc::gen::inRange(1, 5);
  const int requests = *rc::gen::inRange(1, 300);
  const bool gate = *rc::gen::arbitrary<bool>();
  const auto step = [&](std::int64_t feed_forward) {
    return step_us({.expert_parallel = feed_forward,
                    .attention_data_parallel = groups,
                    .feed_forward_ranks = feed_forward,
                    .gate_on_attention = gate},
                   micro, AfdLatency(1e11, 0), requests);
  };
  // A token may need both of two ranks, and they exchange tokens: what one rank has not.
  RC_ASSERT(step(4 * ranks) <= step(2 * ranks) * (1 + 1e-9));
}

RC_GTEST_PROP(AfdStepPricer, FasterLinksNeverTakeLonger, ()) {
  const Sharding sharding{.expert_parallel = 8,
                          .attention_data_parallel = *rc::gen::inRange(1, 40),
                          .feed_forward_ranks = 8,
                          .gate_on_attention = *rc::gen::arbitrary<bool>()};
  const std::int64_t micro = *rc::gen::inRange(1, 5);
  const int requests = *rc::gen::inRange(1, 300);
  const double link = 1e8 * double(*rc::gen::inRange(1, 1000));
  const double slow = step_us(sharding, micro, AfdLatency(link), requests);
  const double fast = step_us(sharding, micro, AfdLatency(1.5 * link), requests);
  RC_ASSERT(fast <= slow * (1 + 1e-9));
}

TEST(AfdStepPricer, MicroBatchesHideTheOtherSide) {
  const Sharding sharding{
      .expert_parallel = 4, .attention_data_parallel = 4, .feed_forward_ranks = 4, .gate_on_attention = true};
  const double one = step_us(sharding, 1, AfdLatency(1e13), 2048, 20);
  const double two = step_us(sharding, 2, AfdLatency(1e13), 2048, 20);
  EXPECT_LT(two, 0.9 * one);
}

TEST(AfdStepPricer, ItsIntervalHoldsTransfersThatHideNothing) {
  const Sharding sharding{.expert_parallel = 4, .attention_data_parallel = 4, .feed_forward_ranks = 4};
  AfdBench bench(sharding, 2, AfdLatency(1e9));
  const std::vector<std::int32_t> contexts(64, 500);
  const StepCost cost = bench.pricer.price(decoding(contexts, 4));
  EXPECT_LE(cost.p10, cost.p50);
  EXPECT_GT(cost.p90 / cost.p50, 1.2) << "beyond the kernels' own p90";
}

TEST(AfdStepPricer, CountsEveryMicroBatchsKernels) {
  const Sharding sharding{.expert_parallel = 4, .attention_data_parallel = 4, .feed_forward_ranks = 4};
  AfdBench bench(sharding, 3);
  const std::vector<std::int32_t> contexts(64, 500);
  (void)bench.pricer.price(decoding(contexts, 4));
  double experts = 0, sends = 0, heads = 0;
  for (const KernelTime& kernel : bench.pricer.breakdown()) {
    if (kernel.label == "moe") experts += kernel.calls;
    if (kernel.label == "a2f_send") sends += kernel.calls;
    if (kernel.label == "lm_head") heads += kernel.calls;
  }
  EXPECT_EQ(experts, 3 * 12);
  EXPECT_EQ(sends, 3 * 12);
  EXPECT_EQ(heads, 1) << "for the whole step";
  EXPECT_TRUE(bench.pricer.clone()->breakdown().empty());
}

// The experts of rows that a graph adds, where the engine gives such rows none.
TEST(AfdStepPricer, ExpertsMaySkipTheRowsOfPadding) {
  const Sharding sharding{.expert_parallel = 4, .attention_data_parallel = 4, .feed_forward_ranks = 4};
  const auto time_of = [&](int requests, bool skip) {
    AfdBench bench(sharding, 1, AfdLatency(1e30, 0));
    AfdStepPricer pricer(bench.plan, {.model = bench.latency.get(), .gpu = bench.gpu.get(), .names = {}},
                         StepPadding({8, 64}, skip), 1);
    const std::vector<std::int32_t> contexts(std::size_t(requests), 700);
    return to_microseconds(pricer.price(decoding(contexts, 4)).p50);
  };
  EXPECT_DOUBLE_EQ(time_of(64, true), time_of(64, false));
  EXPECT_LT(time_of(9, true), time_of(9, false));
  EXPECT_LT(time_of(9, true), time_of(40, true));
}

TEST(AfdStepPricer, PromptsAttendToAsMuchInPieces) {
  AfdBench one({.expert_parallel = 4, .attention_data_parallel = 4, .feed_forward_ranks = 4}, 1,
               AfdLatency(1e30, 0));
  const std::vector<PrefillChunk> chunks{{512, 0}};
  StepBatch batch;
  batch.chunks = chunks;
  batch.chunk_tokens = batch.widest_rank_tokens = batch.narrowest_rank_tokens = 512;
  batch.group_tokens = 4 * 512;
  const Seconds whole = one.pricer.price(batch).p50;
  AfdBench two({.expert_parallel = 4, .attention_data_parallel = 4, .feed_forward_ranks = 4}, 2,
               AfdLatency(1e30, 0));
  const Seconds pieces = two.pricer.price(batch).p50;
  EXPECT_GT(pieces.value(), 0);
  EXPECT_LT(pieces / whole, 1.3);
}

}  // namespace
}  // namespace warploom
