#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/pricing/cuda_graph.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/speculation/draft_acceptance.h"

namespace warploom {
namespace {

constexpr const char* kEagle = R"({"method": "eagle3", "num_speculative_tokens": 3})";

ServingConfig drafting(const std::string& json = kEagle, double length = 2.5) {
  ServingConfig config;
  config.speculative_config = json;
  config.acceptance_length = length;
  config.max_num_seqs = 16;
  config.max_num_batched_tokens = 256;
  config.block_size = 16;
  config.host = HostModel{};
  return config;
}

std::string refusal_of(const ServingConfig& config) {
  try {
    speculation_of(config);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SpeculativeConfig, ReadsTheEnginesSpellings) {
  const SpeculativeConfig eagle = speculation_of(drafting());
  EXPECT_TRUE(eagle.drafts_by("eagle3"));
  EXPECT_EQ(eagle.steps, 3);
  EXPECT_EQ(eagle.verified_tokens, 4);
  EXPECT_EQ(speculation_of(drafting(R"({"method": "deepseek_mtp"})", 1.8)).steps, 1);
  EXPECT_TRUE(
      speculation_of(drafting(R"({"model": "[ngram]", "num_speculative_tokens": 5})")).drafts_by("ngram"));
  const SpeculativeConfig own =
      speculation_of(drafting(R"({"model": "Qwen3-0.6B", "num_speculative_tokens": 2})"));
  EXPECT_TRUE(own.drafts_by("draft_model"));
  EXPECT_EQ(own.model, "Qwen3-0.6B");
  EXPECT_EQ(speculation_of(drafting(R"({"decoding_type": "Eagle", "max_draft_len": 4})")).steps, 4);
  ServingConfig sglang = drafting("");
  sglang.speculative_algorithm = "EAGLE";
  sglang.speculative_num_steps = 5;
  sglang.speculative_num_draft_tokens = 64;
  EXPECT_EQ(speculation_of(sglang).steps, 5);
  EXPECT_EQ(speculation_of(sglang).verified_tokens, 64);
  EXPECT_FALSE(speculation_of(ServingConfig{}).on());
}

TEST(SpeculativeConfig, GuessesTheMethodByTheNameOfTheDraft) {
  const auto method_of = [](const std::string& model) {
    return speculation_of(drafting(R"({"num_speculative_tokens": 3, "model": ")" + model + R"("})"))
        .method->name;
  };
  EXPECT_EQ(method_of("yuhuili/EAGLE3-LLaMA3.1-Instruct-8B"), "eagle3");
  EXPECT_EQ(method_of("yuhuili/EAGLE-llama2-chat-7B"), "eagle");
  EXPECT_EQ(method_of("z-lab/Qwen3-8B-DFlash-b16"), "dflash");
  EXPECT_EQ(method_of("deepseek-ai/dspark_qwen3_8b_block7"), "dspark");
  EXPECT_EQ(method_of("nebius/MTP-DeepSeek-V3-0324"), "mtp");
}

// A block of SGLang's counts the sure token; its steps are one whatever is said of them.
TEST(SpeculativeConfig, BlocksOfSglangHoldTheSureToken) {
  ServingConfig config = drafting("", 3);
  config.speculative_algorithm = "DFLASH";
  config.speculative_num_steps = 1;
  config.speculative_num_draft_tokens = 8;
  EXPECT_EQ(speculation_of(config).steps, 7);
  EXPECT_EQ(speculation_of(config).verified_tokens, 8);
  config.speculative_num_draft_tokens.reset();
  EXPECT_EQ(speculation_of(config).steps, 15);  // a block of 16
  config.speculative_algorithm = "DSPARK";
  EXPECT_EQ(speculation_of(config).steps, 7);
}

TEST(SpeculativeConfig, RefusesVerificationThatAdapts) {
  const std::string config = R"({"method": "dspark", "num_speculative_tokens": 5,
                                 "enable_adaptive_verification": )";
  EXPECT_EQ(refusal_of(drafting(config + "false}")), "");
  EXPECT_NE(refusal_of(drafting(config + "true}")).find("'enable_adaptive_verification' is not modelled"),
            std::string::npos);
}

TEST(SpeculativeConfig, RefusesWhatDecidesTheResultAndIsNotStated) {
  ServingConfig config = drafting();
  config.acceptance_length.reset();
  EXPECT_NE(refusal_of(config).find("--acceptance-rates"), std::string::npos) << refusal_of(config);
  config.acceptance_rates = {0.8, 0.9, 0.1};
  EXPECT_NE(refusal_of(config).find("none above the one before"), std::string::npos);
  config.acceptance_rates = {0.8, 0.7};
  EXPECT_NE(refusal_of(config).find("expected 3 values"), std::string::npos);
  EXPECT_NE(refusal_of(drafting(kEagle, 4.5)).find("expected 1 to 4"), std::string::npos);
  EXPECT_NE(refusal_of(drafting(R"({"method": "medusa"})")).find("medusa"), std::string::npos);
  EXPECT_NE(refusal_of(drafting(R"({"methods": "eagle"})")).find("did you mean 'method'"), std::string::npos);
  EXPECT_NE(refusal_of(drafting("[1]")).find("JSON object"), std::string::npos);
}

TEST(SpeculativeConfig, TurnsALengthIntoRates) {
  double sum = 1;
  for (const double rate : geometric_acceptance(2.6, 4)) sum += rate;
  EXPECT_NEAR(sum, 2.6, 1e-9);
  // vLLM's own examples.
  EXPECT_EQ(even_acceptance(3.5, 4), (std::vector<double>{1, 1, 0.5, 0}));
  EXPECT_NEAR(even_acceptance(2.6, 3)[1], 0.6, 1e-12);
}

TEST(DraftAcceptance, FollowsTheRates) {
  ServingConfig config = drafting();
  config.acceptance_length.reset();
  config.acceptance_rates = {0.8, 0.5, 0.1};
  const DraftAcceptance drafts(speculation_of(config), 1);
  SpeculationCounts counts;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const std::int64_t proposed = drafts.proposed(i, 7, 100);
    counts.add(proposed, drafts.accepted(i, 7, proposed));
  }
  EXPECT_EQ(counts.draft_tokens, 60000);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(double(counts.accepted_at[i]) / 20000, config.acceptance_rates[i], 0.01);
  EXPECT_EQ(drafts.proposed(1, 1, 2), 2);
  EXPECT_EQ(drafts.accepted(1, 1, 0), 0);
}

TEST(Speculation, EveryDraftAcceptedDividesTheSteps) {
  Workload workload{.name = "one", .requests = {{SimTime(), 100, 41}}, .concurrency = {}};
  const LinearStepPricer pricer({.per_step = milliseconds(1)});
  const SimulationResult run = simulate(drafting(kEagle, 4), workload, pricer);
  EXPECT_EQ(run.totals.steps, 1 + 10);
  EXPECT_EQ(run.totals.tokens, 100 + 10 * 4);
  EXPECT_NEAR(run.metrics.tpot.mean.value(), 0.25e-3, 1e-12);
  EXPECT_NEAR(run.metrics.itl.mean.value(), 1e-3, 1e-9);  // between messages to the client
  const SimulationResult none = simulate(drafting(kEagle, 1), workload, pricer);
  EXPECT_EQ(none.totals.steps, 41);
  EXPECT_EQ(none.speculation.accepted_tokens, 0);
}

RC_GTEST_PROP(Speculation, ConservesTokensAndBlocks, ()) {
  ServingConfig config =
      drafting(R"({"method": "eagle", "num_speculative_tokens": 3})", 1 + *rc::gen::inRange(0, 301) * 0.01);
  config.engine = *rc::gen::elementOf(engine_names());
  config.max_num_batched_tokens = 512;
  config.async_scheduling = *rc::gen::arbitrary<bool>();
  config.proposal_rate = *rc::gen::inRange(0, 11) * 0.1;
  config.num_gpu_blocks_override = *rc::gen::inRange<std::int64_t>(31, 200);
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "test");
  Workload workload;
  const auto requests = *rc::gen::inRange(1, 60);
  for (int i = 0; i < requests; ++i)
    workload.requests.push_back(
        {SimTime(), std::int32_t(random.integer(1, 400)), std::int32_t(random.integer(1, 60))});
  const LinearStepPricer pricer({.per_step = milliseconds(1), .per_token = microseconds(10)});
  const SimulationResult run = simulate(config, workload, pricer);
  RC_ASSERT(run.metrics.completed == requests);
  std::int64_t outputs = 0;
  for (const RequestRecord& record : run.requests) outputs += record.tokens_emitted;
  RC_ASSERT(outputs == run.metrics.total_output_tokens);
  RC_ASSERT(run.speculation.accepted_tokens <= run.speculation.draft_tokens);
}

TEST(Speculation, GraphSizesAreMultiplesOfTheQueryTokens) {
  const auto sizes = cuda_graph_sizes(256, false, 3);
  EXPECT_EQ(sizes[0], 3);
  for (const std::int64_t size : sizes) EXPECT_EQ(size % 3, 0);
  EXPECT_LE(sizes.back(), 512);
  EXPECT_EQ(padded_tokens(sizes, 10), 18);
}

}  // namespace
}  // namespace warploom
