#include "warploom/serving/pricing/operator_step_pricer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "warploom/models/model_catalog.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/fitted_workload.h"

namespace warploom {
namespace {

// Latency known in closed form: 2 us and a rate for each kind of operator.
class StraightLatency final : public LatencyModel {
 public:
  double expert_token_us = 0;
  LatencyEstimate estimate(const Operator& op, const GpuSpec&, const KernelContext&) const override {
    double us = 2.0 + std::visit([](const auto& o) { return work(o); }, op);
    if (const auto* moe = std::get_if<FusedMoe>(&op)) us += expert_token_us * double(moe->tokens);
    return {.p10 = microseconds(us * 0.9), .p50 = microseconds(us), .p90 = microseconds(us * 1.2)};
  }

 private:
  static double work(const Gemm& gemm) { return 0.01 * double(gemm.m); }
  static double work(const AttentionDecode& attention) {
    double tokens = 0;
    for (const RequestGroup& group : attention.requests) {
      const std::int64_t reached =
          attention.window > 0 ? std::min(group.kv_tokens(), group.query_tokens - 1 + attention.window)
                               : group.kv_tokens();
      tokens += double(group.count * reached * (1 + group.query_tokens));
    }
    return 0.0005 * tokens;
  }
  static double work(const AttentionPrefill& attention) {
    double area = 0;
    for (const RequestGroup& group : attention.requests) {
      area += double(group.count * group.query_tokens) *
              (double(group.context_tokens) + 0.5 * double(group.query_tokens));
    }
    return 1e-5 * area;
  }
  static double work(const Collective& collective) { return 1 + 1e-9 * collective.size.value(); }
  template <class O>
  static double work(const O&) {
    return 1.0;
  }
};

ModelArchitecture small_model(bool mixture = false) {
  ModelArchitecture model;
  model.name = "small";
  model.hidden = 1024;
  model.vocabulary = 32000;
  model.max_positions = 1 << 20;
  const Attention attention{
      .heads = 16, .kv_heads = 8, .head_dim = 64, .value_head_dim = 64, .rotary_dim = 64};
  model.layers = {{.count = 32, .mixer = attention, .feed_forward = DenseMlp{.intermediate = 4096}}};
  if (mixture)
    model.layers[0].feed_forward = MixtureOfExperts{.experts = 16, .top_k = 2, .intermediate = 512};
  return model;
}

struct Bench {
  StraightLatency model;
  GpuSpec gpu;
  Sharding sharding;
  ModelArchitecture architecture;
  OperatorStepPricer pricer;
  explicit Bench(const Sharding& spread = {}, bool eager = true, bool mixture = false,
                 const GraphOptions& options = {})
      : Bench(small_model(mixture), spread, eager, options) {}
  explicit Bench(ModelArchitecture made, const Sharding& spread = {}, bool eager = true,
                 const GraphOptions& options = {})
      : sharding(spread),
        architecture(std::move(made)),
        pricer(StepPlan(architecture, spread, options), {.model = &model, .gpu = &gpu, .names = {}},
               StepPadding(cuda_graph_sizes(256, eager))) {}

  // The sum over the whole operator graph, without tables.
  double exact_microseconds(const StepShape& step) const {
    double us = 0;
    for (const OperatorNode& node : build_operator_graph(architecture, sharding, step)) {
      us += double(node.count) * to_microseconds(model.estimate(node.op, gpu, {}).p50);
    }
    return us;
  }
};

// Half the layers reach a window of 1,024 tokens or the chunk of so many that the token is in.
ModelArchitecture half_reaching_model(AttentionReach reach) {
  ModelArchitecture model = small_model();
  model.layers[0].count = 16;
  model.layers.push_back(model.layers[0]);
  auto& attention = std::get<Attention>(model.layers[1].mixer);
  attention.reach = reach;
  attention.window = 1024;
  return model;
}

StepBatch decode_batch(const std::vector<std::int32_t>& contexts) {
  StepBatch batch;
  batch.set_decode(contexts);
  batch.emitting = batch.logits_rows = batch.group_tokens = batch.decode_requests;
  return batch;
}

TEST(OperatorStepPricer, IsTheSumOfTheOperatorGraph) {
  for (const Sharding& sharding : {Sharding{}, Sharding{.tensor_parallel = 4}}) {
    Bench bench(sharding);
    for (const int sequences : {1, 7, 45, 333}) {
      for (const int context : {3, 517, 4444, 100001}) {
        const std::vector<std::int32_t> contexts(std::size_t(sequences), context);
        const double us = to_microseconds(bench.pricer.price(decode_batch(contexts)).p50);
        EXPECT_NEAR(us / bench.exact_microseconds(StepShape::one_token_each(sequences, context)), 1, 1e-9);
      }
    }
  }
}

TEST(OperatorStepPricer, MixtureRanksPriceTheTokensOfTheirGroup) {
  Bench bench({.expert_parallel = 2, .attention_data_parallel = 2}, true, true);
  EXPECT_EQ(bench.pricer.coupled_replicas(), 2u);
  const std::vector<std::int32_t> contexts(20, 500);
  StepBatch batch = decode_batch(contexts);
  batch.group_tokens = 50;
  StepShape step = StepShape::one_token_each(20, 500);
  step.group_tokens = 50;
  EXPECT_NEAR(to_microseconds(bench.pricer.price(batch).p50) / bench.exact_microseconds(step), 1, 1e-9);
}

TEST(OperatorStepPricer, RanksOfAGroupPadToTheWidest) {
  Bench bench({.expert_parallel = 2, .attention_data_parallel = 2}, false, true);
  const std::vector<std::int32_t> contexts(20, 500);
  StepBatch batch = decode_batch(contexts);
  const auto time_beside = [&](std::int64_t other_rank) {
    batch.group_tokens = 20 + other_rank;
    batch.widest_rank_tokens = std::max<std::int64_t>(20, other_rank);
    return bench.pricer.price(batch).p50;
  };
  EXPECT_EQ(time_beside(20), time_beside(3));   // both ranks run the graph of 24 tokens
  EXPECT_EQ(time_beside(57), time_beside(64));  // and here that of 64
  EXPECT_LT(time_beside(20), time_beside(64));
  // Beside a rank that prefills nobody runs a graph, and nobody pads.
  EXPECT_LT(time_beside(2000), time_beside(20));
}

// With 2,000 and 20 tokens the busy rank's link carries 2,000 one way, as if both had that many.
TEST(OperatorStepPricer, UnequalRanksExchangeAsTheBusiestLink) {
  const Sharding ranks{.expert_parallel = 2, .attention_data_parallel = 2};
  Bench by_rank(ranks, true, true, {.gathers_by_rank = true}), summed(ranks, true, true);
  StepBatch batch;
  const std::vector<PrefillChunk> chunks{{2000, 0}};
  batch.chunks = chunks;
  batch.chunk_tokens = 2000;
  batch.emitting = batch.logits_rows = 1;
  const auto collectives = [&](Bench& bench, std::int64_t other_rank) {
    batch.group_tokens = 2000 + other_rank;
    batch.widest_rank_tokens = 2000;
    batch.narrowest_rank_tokens = other_rank;
    return bench.pricer.price(batch).collectives;
  };
  EXPECT_EQ(collectives(by_rank, 2000), collectives(summed, 2000));
  EXPECT_EQ(collectives(by_rank, 20), collectives(by_rank, 2000));
  EXPECT_LT(collectives(summed, 20), collectives(by_rank, 20));
}

TEST(OperatorStepPricer, PricesChunksOnTheirHistory) {
  Bench bench;
  const std::vector<PrefillChunk> chunks{{100, 900}, {50, 0}};
  StepBatch batch;
  batch.chunks = chunks;
  batch.chunk_tokens = 150;
  batch.group_tokens = 150;
  batch.emitting = batch.logits_rows = 1;
  const StepShape step{.prefill = {{1, 100, 900}, {1, 50, 0}}, .decode = {}, .logits_rows = 1};
  EXPECT_NEAR(to_microseconds(bench.pricer.price(batch).p50) / bench.exact_microseconds(step), 1, 1e-9);
}

TEST(OperatorStepPricer, PadsToGraphSizes) {
  Bench eager, graphs({}, false);
  const std::vector<std::int32_t> nine(9, 100);
  EXPECT_GT(graphs.pricer.price(decode_batch(nine)).p50, eager.pricer.price(decode_batch(nine)).p50);
  EXPECT_EQ(padded_tokens(cuda_graph_sizes(256, false), 9), 16);
  EXPECT_EQ(padded_tokens(cuda_graph_sizes(256, false), 513), 513);
  EXPECT_EQ(cuda_graph_sizes(256, false).back(), 512);
  EXPECT_EQ(cuda_graph_sizes(3, false), (std::vector<std::int64_t>{1, 2, 4}));
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(cuda_graph_sizes(256, false, 1, {}, {}, {20, 3, 20}), (Sizes{3, 20}));
  EXPECT_EQ(cuda_graph_sizes(256, false, 1, 16, {}, {20, 3}), (Sizes{3}));
  EXPECT_EQ(cuda_graph_sizes(256, false, 4, {}, {}, {20, 3, 4}), (Sizes{4, 20}));
  EXPECT_EQ(cuda_graph_sizes(256, true, 1, {}, {}, {20}), Sizes{});
}

// Rows that a graph adds cost what dense operators take of them; experts only where they are given one.
TEST(OperatorStepPricer, ExpertsMaySkipTheRowsOfPadding) {
  const ModelArchitecture mixture = small_model(true);
  StraightLatency model;
  model.expert_token_us = 0.05;
  const GpuSpec gpu;
  const auto time_of = [&](std::size_t requests, bool skip, const Sharding& sharding = {}) {
    OperatorStepPricer pricer(StepPlan(mixture, sharding), {.model = &model, .gpu = &gpu, .names = {}},
                              StepPadding(cuda_graph_sizes(256, false), skip));
    StepBatch batch = decode_batch(std::vector<std::int32_t>(requests, 100));
    batch.group_tokens = std::int64_t(requests) * sharding.attention_data_parallel;
    return to_microseconds(pricer.price(batch).p50);
  };
  EXPECT_DOUBLE_EQ(time_of(16, true), time_of(16, false));
  const double layers = 32;
  EXPECT_NEAR(time_of(9, false) - time_of(9, true), layers * 0.05 * (16 - 9), 1e-6);
  EXPECT_LT(time_of(9, true), time_of(16, true));
  const Sharding ranks{.expert_parallel = 2, .attention_data_parallel = 2};
  EXPECT_NEAR(time_of(9, false, ranks) - time_of(9, true, ranks), layers * 0.05 * 2 * (16 - 9), 1e-6);
}

// Steps with parts of prompts are padded to sizes of their own where an engine has such, decoding ones not.
TEST(OperatorStepPricer, PromptsArePaddedToTheirOwnSizes) {
  const ModelArchitecture mixture = small_model(true);
  StraightLatency model;
  model.expert_token_us = 0.05;
  const GpuSpec gpu;
  const auto time_of = [&](std::int64_t tokens, const StepPadding& padding) {
    OperatorStepPricer pricer(StepPlan(mixture, {}), {.model = &model, .gpu = &gpu, .names = {}}, padding);
    const std::vector<PrefillChunk> chunks(1, PrefillChunk{std::int32_t(tokens), 0});
    StepBatch batch{.chunks = chunks, .chunk_tokens = tokens, .group_tokens = tokens};
    return to_microseconds(pricer.price(batch).p50);
  };
  StepPadding padding(cuda_graph_sizes(256, false));
  padding.prompts = {1280, 1536, 1792};
  const double alone = time_of(1537, StepPadding()), padded = time_of(1537, padding);
  EXPECT_GT(padded, alone);
  // As long as the size that holds it, but for experts and attention.
  EXPECT_LT(padded, time_of(1792, padding));
  EXPECT_DOUBLE_EQ(time_of(1793, padding), time_of(1793, StepPadding()));
  // Sizes of decoding steps are not theirs.
  EXPECT_GT(time_of(100, padding), time_of(100, StepPadding(cuda_graph_sizes(256, false))));
}

TEST(OperatorStepPricer, OneLongRequestBoundsTheStep) {
  Bench bench;
  std::vector<std::int32_t> contexts(63, 16);
  contexts.push_back(100000);
  EXPECT_GE(to_microseconds(bench.pricer.price(decode_batch(contexts)).p50), 32 * 100.0);
}

// The batch of an audit: at the mean context every windowed layer would read its whole window.
TEST(OperatorStepPricer, WindowedLayersAreReachedByEachRequestForItself) {
  for (const AttentionReach reach : {AttentionReach::SlidingWindow, AttentionReach::Chunked}) {
    Bench bench(half_reaching_model(reach));
    std::vector<std::int32_t> contexts(64, 16);
    contexts.resize(128, 8000);
    StepShape step{.decode = {{64, 1, 16}, {64, 1, 8000}}, .logits_rows = 128};
    EXPECT_NEAR(
        to_microseconds(bench.pricer.price(decode_batch(contexts)).p50) / bench.exact_microseconds(step), 1,
        0.01);
    // Alike requests, beyond the window and at its edge, are priced as they are.
    for (const std::int32_t context : {500, 1023, 1024, 5000}) {
      const std::vector<std::int32_t> alike(32, context);
      EXPECT_NEAR(to_microseconds(bench.pricer.price(decode_batch(alike)).p50) /
                      bench.exact_microseconds(StepShape::one_token_each(32, context)),
                  1, 1e-9)
          << context;
    }
  }
}

RC_GTEST_PROP(OperatorStepPricer, PricesAMixedBatchAsItsRequests, ()) {
  Bench bench(half_reaching_model(*rc::gen::element(AttentionReach::SlidingWindow, AttentionReach::Chunked)));
  const auto requests = *rc::gen::inRange<std::size_t>(2, 60);
  const auto contexts =
      *rc::gen::container<std::vector<std::int32_t>>(requests, rc::gen::inRange<std::int32_t>(400, 3000));
  StepShape step{.logits_rows = std::int64_t(requests)};
  for (const std::int32_t context : contexts) step.decode.push_back({1, 1, context});
  const double exact = bench.exact_microseconds(step);
  const double said = to_microseconds(bench.pricer.price(decode_batch(contexts)).p50);
  RC_ASSERT(std::abs(said / exact - 1) < 0.01);
}

// Two requests of 128 verify four drafts each; the others have one token.
TEST(OperatorStepPricer, DraftsCostTheRequestsThatHaveThem) {
  Bench bench;
  const std::vector<std::int32_t> contexts(128, 2000);
  std::vector<std::int32_t> queries(128, 1);
  queries[3] = queries[77] = 5;
  StepBatch batch = decode_batch(contexts);
  batch.decode_queries = queries;
  batch.draft_tokens = 8;
  batch.logits_rows = batch.group_tokens = 136;
  const StepShape step{.decode = {{126, 1, 2000}, {2, 5, 2000}}, .logits_rows = 136};
  EXPECT_NEAR(to_microseconds(bench.pricer.price(batch).p50) / bench.exact_microseconds(step), 1, 0.002);
}

TEST(OperatorStepPricer, AddsErrorsOfAKindAndJoinsThoseOfKinds) {
  Bench bench;
  const std::vector<std::int32_t> contexts{16};
  const StepCost cost = bench.pricer.price(decode_batch(contexts));
  HalfWidths one_tenth;
  double sum = 0;
  for (const OperatorNode& node :
       build_operator_graph(bench.architecture, {}, StepShape::one_token_each(1, 16))) {
    const double seconds = double(node.count) * bench.model.estimate(node.op, bench.gpu, {}).p50.value();
    one_tenth.add(error_kind(family_of(node.op)), 0.1 * seconds);
    sum += seconds;
  }
  EXPECT_NEAR((cost.p50 - cost.p10).value() / one_tenth.joint(), 1, 1e-5);
  EXPECT_NEAR((cost.p90 - cost.p50).value() / (2 * one_tenth.joint()), 1, 1e-5);
  EXPECT_LT(one_tenth.joint(), 0.1 * sum) << "narrower than if all errors were one";
}

TEST(OperatorStepPricer, OnlySeveralGpusHaveCollectives) {
  const Workload workload = sample_workload(fitted_workload("conversation"), 50, std::nullopt, 1);
  EXPECT_EQ(simulate({}, workload, Bench().pricer).totals.collectives.value(), 0);
  EXPECT_GT(simulate({}, workload, Bench({.tensor_parallel = 2}).pricer).totals.collectives.value(), 0);
}

TEST(OperatorStepPricer, BreakdownOfARunIsItsGpuTime) {
  const Workload workload = sample_workload(fitted_workload("conversation"), 300, 10.0, 1);
  const SimulationResult result = simulate({}, workload, Bench({.tensor_parallel = 2}, false).pricer);
  double sum = 0;
  for (const KernelTime& kernel : result.kernels) sum += kernel.time.value();
  EXPECT_NEAR(sum / result.totals.gpu_p50.value(), 1, 1e-9);
}

// Prompts and decoding requests over two groups of GPUs, which share the experts.
TEST(OperatorStepPricer, ContextParallelGroupsPriceTheirShare) {
  ModelArchitecture model = load_model("DeepSeek-V3");
  for (LayerGroup& group : model.layers)  // without shared experts: few tokens hide them behind routed ones
    if (auto* mixture = std::get_if<MixtureOfExperts>(&group.feed_forward)) mixture->shared_intermediate = 0;
  Bench two(model, {.expert_parallel = 2, .prefill_context_parallel = 2});
  const std::vector<PrefillChunk> chunks{{1024, 0}};
  StepBatch prompt;
  prompt.chunks = chunks;
  prompt.chunk_tokens = prompt.group_tokens = 1024;
  const double exact = two.exact_microseconds({{{1, 1024, 0}}, {}, 0, 0});
  EXPECT_NEAR(to_microseconds(two.pricer.price(prompt).p50) / exact, 1, 1e-6);
  EXPECT_GT(two.pricer.price(prompt).collectives.value(), 61 * 2e-6);
  const std::vector<std::int32_t> contexts(20, 500);
  const double decoding = to_microseconds(two.pricer.price(decode_batch(contexts)).p50);
  EXPECT_NEAR(decoding / two.exact_microseconds(StepShape::one_token_each(20, 500)), 1, 1e-3)
      << "but for what lies between two sizes of the tables of prices";
}

}  // namespace
}  // namespace warploom
