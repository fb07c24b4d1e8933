#include "warploom/judge/validate/validate_concurrency.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "warploom/app/data/kernel_exclusions.h"
#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/judge/validate/concurrency_exclusions.h"
#include "warploom/judge/validate/concurrency_launch.h"
#include "warploom/judge/validate/concurrency_truth_test.h"
#include "warploom/measurements/importers/import.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

// The rows that are judged, under the built-in rules, and how many each rule took out.
struct Kept {
  std::vector<ConcurrencyTruth> rows;
  std::map<std::string, int> excluded;
};
Kept kept_of(std::vector<ConcurrencyTruth> rows) {
  Kept kept;
  for (const SortedRow& row : sort_rows(std::move(rows), concurrency_rules())) {
    if (row.excluded_by < 0)
      kept.rows.push_back(row.truth);
    else
      ++kept.excluded[concurrency_rules().exclusions[std::size_t(row.excluded_by)].name];
  }
  return kept;
}

TEST(ConcurrencyTruth, CountsWhatEachFilterDrops) {
  const std::string llama = kLlamaTruth;
  const TruthFile truth(
      "a,2026-01-01.csv,4,0," + llama + "b,2026-01-01.csv,4,0," + llama + "c,2026-01-01.csv,4,1," + llama +
      "d,2026-01-01.csv,,0," + llama +
      "e,2026-01-01.csv,4,0,vllm,,meta-llama/Llama-3.1-8B,h100_sxm,bf16,disagg,128,32,,,1,1,1,,,50,5\n" +
      "f,2026-01-01.csv,4,0,vllm,,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,128,32,,,1,1,1,,0,50,\n");
  const Kept kept = kept_of(read_concurrency_truth(truth.request.truth));
  ASSERT_EQ(kept.rows.size(), 1u);
  EXPECT_EQ(kept.rows[0].id, "a");
  const std::map<std::string, int> wanted{{"exact_copy", 1},
                                          {"work_in_progress", 1},
                                          {"no_concurrency", 1},
                                          {"pools_not_stated", 1},
                                          {"facts_not_stated", 1}};
  EXPECT_EQ(kept.excluded, wanted);
}

TEST(ConcurrencyTruth, DropsRoundedRepeats) {
  const std::string place = "vllm,0.19.0,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,128,32,,,1,1,1,,,";
  const TruthFile truth("a,2026-01-01.csv,4,0," + place + "50.1234,5.4321\nb,2026-02-01.csv,4,0," + place +
                        "50.12,5.43\nc,2026-02-01.csv,4,0," + place + "50.2,5.43\n");
  const Kept kept = kept_of(read_concurrency_truth(truth.request.truth));
  ASSERT_EQ(kept.rows.size(), 2u);
  EXPECT_EQ(kept.rows[1].id, "c");
}

TEST(ConcurrencyTruth, UndoesTensorTimesExpertParallelism) {
  const std::string model = "sglang,0.5.9,deepseek-ai/DeepSeek-V3,h200_sxm,fp8,agg,128,32,fp8,fp8,";
  const TruthFile truth("a,2026-01-01.csv,4,0," + model + "64,1,1,8,8,50,5\nb,2026-01-01.csv,4,0," + model +
                        "1,1,64,8,8,51,5\nc,2026-01-01.csv,4,0," + model + "8,1,1,8,1,52,5\n");
  const auto rows = kept_of(read_concurrency_truth(truth.request.truth)).rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].place.tp, 8);
  EXPECT_EQ(rows[0].place.moe_tp, 1);
  EXPECT_EQ(rows[0].place.moe_ep, 8);
  EXPECT_EQ(rows[1].place.tp, 1);
  EXPECT_EQ(rows[1].place.attention_dp, 8);
  EXPECT_EQ(rows[2].place.tp, 8);
  EXPECT_EQ(rows[2].place.moe_tp, 8);
}

// Tensor parallelism 4 with experts 2 by 2 may be four GPUs or two; another row of the dump tells.
TEST(ConcurrencyTruth, OneRowShowsWhatItsDumpMultiplies) {
  const std::string model = "trtllm,1.0.0,openai/gpt-oss-120b,h200_sxm,fp4,agg,128,32,,w4a16_mxfp4,";
  const TruthFile truth("a,2026-01-01.csv,4,0," + model + "16,1,1,4,4,50,5\nb,2026-01-01.csv,8,0," + model +
                        "4,1,1,2,2,51,5\nc,2026-02-01.csv,8,0," + model + "4,1,1,2,2,52,5\n");
  auto rows = read_concurrency_truth(truth.request.truth);
  ASSERT_EQ(rows.size(), 3u);
  const std::vector<bool> wanted{true, true, false};
  EXPECT_EQ(undo_products(rows), wanted);
  EXPECT_EQ(rows[0].place.tp, 4);
  EXPECT_EQ(rows[1].place.tp, 2);
  EXPECT_EQ(rows[1].place.moe_tp, 1);
  EXPECT_EQ(rows[2].place.tp, 4);
}

TEST(ConcurrencyTruth, RefusesBadNumbers) {
  EXPECT_THROW(
      read_concurrency_truth(TruthFile("a,2026-01-01.csv,-4,0," + std::string(kLlamaTruth)).request.truth),
      InvalidInput);
  EXPECT_THROW(read_concurrency_truth(TruthFile("").request.truth), InvalidInput);
}

TEST(ValidateConcurrency, ChoosesOneRowInSoManyByItsContents) {
  std::string rows;
  for (int n = 1; n <= 24; ++n)
    rows += std::to_string(n) + ",2026-01-01.csv," + std::to_string(n) + ",0," + kLlamaTruth;
  TruthFile truth(rows);
  truth.request.one_in = 4;
  const ConcurrencyValidation some = validate_concurrency(truth.request, fixed_latency());
  EXPECT_GT(some.cells.size(), 0u);
  EXPECT_LT(some.cells.size(), 16u);
  EXPECT_EQ(some.dropped.back().rows, 24 - std::int64_t(some.cells.size()));
}

TEST(ValidateConcurrency, RoutesTheExpertsOfThoseThatHaveSome) {
  const std::string dense = "a,2026-01-01.csv,2,0," + std::string(kLlamaTruth);
  const std::string mixture =
      "b,2026-01-01.csv,2,0,vllm,0.19.0,Qwen/Qwen3-30B-A3B,h200_sxm,bf16,agg,128,32,,,1,1,1,1,1,50,5\n";
  TruthFile both(dense + mixture), alone(dense);
  both.request.expert_routing = alone.request.expert_routing = "uniform";
  const ConcurrencyValidation result = validate_concurrency(both.request, fixed_latency());
  ASSERT_EQ(result.cells.size(), 2u);
  EXPECT_EQ(result.cells[0].expert_routing + result.cells[1].expert_routing, "uniform");
  EXPECT_THROW(validate_concurrency(alone.request, fixed_latency()), InvalidInput);
  both.request.expert_routing = "unifrom";
  EXPECT_THROW(validate_concurrency(both.request, fixed_latency()), InvalidInput);
}

TEST(ValidateConcurrency, SaysWhyNothingIsLeft) {
  const TruthFile truth(
      "a,2026-01-01.csv,4,0,vllm,0.19.0,nobody/Nothing,h100_sxm,bf16,agg,128,32,,,1,1,1,,,50,5\n");
  EXPECT_THROW(validate_concurrency(truth.request, fixed_latency()), InvalidInput);
}

TEST(ConcurrencyLaunch, FollowsTheScriptOfTheImage) {
  ConcurrencyTruth row;
  row.dump = "2026-01-30.csv";
  row.backend = "trtllm";
  row.model = "deepseek-ai/DeepSeek-V3";
  row.system = "b200_sxm";
  row.concurrency = 16;
  row.input_tokens = 1024;
  row.version = "1.1.0rc2.post2";
  EXPECT_EQ(launch_of(row).engine.config.max_num_batched_tokens, 1152);
  EXPECT_EQ(launch_of(row).engine.config.moe_backend, "auto");
  row.version = "1.2.0rc6.post2";
  EXPECT_EQ(launch_of(row).engine.config.max_num_batched_tokens, 8192);
  EXPECT_EQ(launch_of(row).engine.config.moe_backend, "flashinfer_trtllm");
  row.backend = "sglang";
  EXPECT_EQ(launch_of(row).engine.config.fp8_gemm_backend,
            "auto");  // nothing is known of a run without an image
  row.image = "lmsysorg/sglang:v0.5.9-cu130";
  EXPECT_EQ(launch_of(row).engine.config.fp8_gemm_backend, "flashinfer_trtllm");
  EXPECT_EQ(launch_of(row).engine.config.enable_flashinfer_allreduce_fusion, true);
}

TEST(ConcurrencyLaunch, GivesEachPoolWhatItsRecipeSays) {
  ConcurrencyTruth row;
  row.dump = "db-dump/2026-04-27";
  row.mode = "disagg";
  row.backend = "trtllm";
  row.version = "0.8.1.post2";
  row.model = "deepseek-ai/DeepSeek-V3";
  row.system = "gb200";
  row.precision = "fp8";
  row.concurrency = 27;
  row.input_tokens = row.output_tokens = 1024;
  const ConcurrencyLaunch trtllm = launch_of(row);
  EXPECT_EQ(trtllm.prefill.config.max_num_seqs, 16);
  EXPECT_EQ(trtllm.prefill.config.max_num_batched_tokens, 16384);
  EXPECT_EQ(trtllm.decode.config.max_num_seqs, 8);
  row.backend = "vllm";
  row.version = "0.18.0";
  row.model = "moonshotai/Kimi-K2.5";
  row.decode.place.tp = 4;
  EXPECT_TRUE(launch_of(row).prefill.attention_data_parallel);
  EXPECT_FALSE(launch_of(row).decode.attention_data_parallel);
  row.decode.place.tp = 16;
  EXPECT_TRUE(launch_of(row).decode.attention_data_parallel);
}

TEST(ConcurrencyLaunch, RefusesWhatNoPoolHas) {
  const auto launches = [](const char* pool) {
    return ConcurrencyLaunches(parse_json(
        fmt::format(
            R"({{"schema": "warploom_concurrency_launches", "version": 1, "_about": [], "checkpoints": [],
            "launches": [{{"name": "a", "when": {{}}, "source": "none", "decode": {}}}]}})",
            pool),
        "test"));
  };
  EXPECT_NO_THROW(launches(R"({"attention": "data_parallel", "set": {"max_num_seqs": 4}})"));
  EXPECT_THROW(launches(R"({"attention": "tensor_parallel"})"), InvalidInput);
  EXPECT_THROW(launches(R"({"workers": 2})"), InvalidInput);
}

TEST(ConcurrencyLaunch, TakesWhatScriptsSayOfCheckpointsAsStated) {
  ConcurrencyTruth row;
  row.dump = "2026-04-06.csv";
  row.backend = "trtllm";
  row.model = "meta-llama/Llama-3.1-70B";
  row.precision = "fp8";
  row.input_tokens = row.output_tokens = 1024;
  row.place.tp = 4;
  const auto checkpoint = concurrency_launches().checkpoint_of(row);
  ASSERT_TRUE(checkpoint.has_value());
  EXPECT_TRUE(checkpoint->stated);
  EXPECT_EQ(checkpoint->linears, MatmulScheme::Fp8Static);
  EXPECT_EQ(launch_of(row).engine.config.max_num_batched_tokens, 2048);
  EXPECT_EQ(launch_of(row).engine.config.batch_wait_timeout_iters, 20);
  row.place.tp = 8;
  EXPECT_EQ(launch_of(row).engine.config.batch_wait_timeout_iters, 0);
}

TEST(ConcurrencyLaunch, GivesRowsWithoutAScriptTheBudgetOfTheirTool) {
  ConcurrencyTruth row;
  row.dump = "Qwen_Qwen3-32B.csv";
  row.backend = "vllm";
  row.concurrency = 16;
  row.input_tokens = 1024;
  EXPECT_EQ(launch_of(row).engine.config.max_num_batched_tokens, 1152);
  EXPECT_EQ(launch_of(row).engine.config.max_num_seqs, 16);
  EXPECT_FALSE(launch_of(row).engine.config.async_scheduling.has_value());  // by the version
}

TEST(ConcurrencyRules, RefuseWhatTheyDoNotKnow) {
  const auto condition = [](const char* text) { return parse_condition(parse_json(text, "t"), "t"); };
  EXPECT_THROW(condition(R"({"modell_path": "x"})"), InvalidInput);
  EXPECT_THROW(condition(R"({"model_path": {"like": "x"}})"), InvalidInput);
  EXPECT_THROW(condition(R"({"is": "nothing"})"), InvalidInput);
  EXPECT_THROW(condition("[]"), InvalidInput);
  ConcurrencyTruth row;
  row.backend = "vllm";
  row.concurrency = 8;
  EXPECT_TRUE(condition(R"({"backend": ["sglang", "vllm"], "concurrency": {"at_least": 8}})")(row));
  EXPECT_FALSE(condition(R"({"backend": {"not": "vllm"}})")(row));
  EXPECT_TRUE(condition(R"([{"backend": "x"}, {"image": {"absent": true}}])")(row));
  EXPECT_THROW(ConcurrencyLaunches(parse_json(R"({"schema": "warploom_concurrency_launches", "version": 1,
      "launches": [{"name": "a", "when": {}, "set": {"max_num_sequences": 1}, "source": "s"}],
      "checkpoints": []})",
                                              "t")),
               InvalidInput);
}

// The importers' own defaults, which tests and other callers use, are those of the rules.
TEST(KernelExclusions, AreTheImportersDefaults) {
  EXPECT_EQ(kernel_exclusion("faster_than_bound").value, ImportOptions().physical_tolerance);
  EXPECT_EQ(kernel_exclusion("group_often_faster_than_bound").value, ImportOptions().group_tolerance);
  EXPECT_EQ(kernel_exclusion("faster_than_bound").counted_as, kImpossibleReason);
  EXPECT_EQ(kernel_exclusion("group_often_faster_than_bound").counted_as, kBrokenGroupReason);
  EXPECT_EQ(kernel_exclusion("far_slower_than_neighbours").counted_as, kSlowRowReason);
  EXPECT_EQ(kernel_exclusion("few_rows").value, 1000);
}

// Every rule says why it is there and where that is known from.
TEST(ConcurrencyRules, HaveReasonsAndSources) {
  ASSERT_FALSE(concurrency_rules().exclusions.empty());
  for (const ExclusionRule& rule : concurrency_rules().exclusions) {
    EXPECT_FALSE(rule.reason.empty()) << rule.name;
    EXPECT_FALSE(rule.source.empty()) << rule.name;
  }
  for (const FitRule& rule : concurrency_rules().fits) EXPECT_FALSE(rule.source.empty()) << rule.name;
}

TEST(QuantizationOfRow, KeepsWhatIsStoredAndRefusesAnother) {
  ConcurrencyTruth row;
  row.gemm_quantization = row.moe_quantization = "fp8";
  EXPECT_EQ(quantization_of(row, load_model("Llama-3.1-8B")), "fp8");
  const ModelArchitecture stored = load_model("DeepSeek-V3");
  EXPECT_EQ(quantization_of(row, stored), "");
  row.gemm_quantization = row.moe_quantization = "nvfp4";
  EXPECT_THROW(quantization_of(row, stored), Unsupported);
}

TEST(ShardingOfRow, RefusesExpertsOnOtherGpusThanAttention) {
  StatedPlace row{.tp = 2, .moe_tp = 4, .moe_ep = 1};
  EXPECT_THROW(sharding_of(row, load_model("DeepSeek-V3")), InvalidInput);
  row.attention_dp = 2;
  EXPECT_EQ(sharding_of(row, load_model("DeepSeek-V3")).attention_data_parallel, 2);
  EXPECT_EQ(sharding_of(row, load_model("Llama-3.1-8B")).tensor_parallel, 2);
}

}  // namespace
}  // namespace warploom
