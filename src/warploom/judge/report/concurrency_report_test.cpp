#include "warploom/judge/report/concurrency_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/judge/validate/concurrency_truth_test.h"

namespace warploom {
namespace {

TEST(ValidateConcurrency, ClosesTheLoopAtTheStatedConcurrency) {
  const TruthFile truth("a,2026-01-01.csv,4,0," + std::string(kLlamaTruth));
  const ConcurrencyValidation result = validate_concurrency(truth.request, fixed_latency());
  ASSERT_EQ(result.cells.size(), 1u);
  EXPECT_EQ(result.cells[0].requests, 40);
  EXPECT_GT(result.cells[0].tpot.predicted, 0);
  const Json document = concurrency_validation_json(result);
  EXPECT_NEAR(document["overall"]["tpot_median_error"].get<double>(), result.cells[0].tpot.error(), 1e-12);
  EXPECT_EQ(document["backends"]["vllm"]["cells"], 1);
}

TEST(ValidateConcurrency, KeepsDoubtfulFirstTokensOutOfTheMedians) {
  const std::string place =
      "trtllm,1.0.0rc3,meta-llama/Llama-3.1-8B-Instruct,h100_sxm,bf16,agg,128,32,,,1,1,1,,,";
  const TruthFile truth("a,meta-llama.csv,4,0," + place + "50,5\n");
  const std::shared_ptr<const LatencyModel> latency = fixed_latency();
  const ConcurrencyValidation validation = validate_concurrency(truth.request, latency);
  ASSERT_EQ(validation.cells.size(), 1u);
  EXPECT_FALSE(validation.cells[0].judges_ttft);
  const Json overall = concurrency_validation_json(validation)["overall"];
  EXPECT_EQ(overall["cells"], 1);
  EXPECT_EQ(overall["ttft_cells"], 0);
  EXPECT_TRUE(overall["ttft_median_error"].is_null());
  EXPECT_GT(overall["tpot_median_error"], 0);
  const std::string text = concurrency_validation_text(validation);
  EXPECT_NE(text.find("1  of them judged by TPOT alone"), std::string::npos);
  EXPECT_NE(text.find("-1  llama_8b_trtllm_1.0.0rc3 (set_aside, TTFT alone)"), std::string::npos) << text;
  // The figure with the rows that were set aside stands beside it.
  EXPECT_EQ(concurrency_validation_json(validation)["with_excluded"]["overall"]["ttft_cells"], 1);
}

TEST(ValidateConcurrency, SimulatesWhatARuleTakesOutAndReportsItApart) {
  const std::string place = "vllm,0.19.0,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,128,32,,,1,1,1,,,";
  const TruthFile truth("a,2026-01-01.csv,4,0," + place + "50,5\nb,2026-01-01.csv,4,1," + place + "60,6\n");
  const ConcurrencyValidation result = validate_concurrency(truth.request, fixed_latency());
  ASSERT_EQ(result.cells.size(), 1u);
  ASSERT_EQ(result.other_cells.size(), 1u);
  EXPECT_EQ(result.other_cells[0].group, CellGroup::SetAside);
  EXPECT_EQ(result.other_cells[0].excluded_by, "work_in_progress");
  const Json document = concurrency_validation_json(result);
  EXPECT_EQ(document["overall"]["cells"], 1);
  EXPECT_EQ(document["with_excluded"]["overall"]["cells"], 2);
  EXPECT_EQ(document["exclusions"][0]["rule"], "work_in_progress");
  EXPECT_EQ(document["exclusions"][0]["rows"], 1);
  EXPECT_EQ(document["exclusions"][0]["errors"]["cells"], 1);
  EXPECT_FALSE(document["exclusions"][0]["reason"].get<std::string>().empty());
}

// One pool that prefills and one that decodes, each of two workers.
TEST(ValidateConcurrency, SimulatesPrefillAndDecodeApart) {
  ScratchFolder folder;
  ValidateConcurrencyRequest request;
  std::string header = kTruthHeader;
  header.insert(header.size() - 1,
                ",prefill_num_workers,prefill_tp_size,decode_num_workers,decode_tp_size,decode_batch_size");
  const std::string row = "vllm,0.19.0,meta-llama/Llama-3.1-8B,h100_sxm,bf16,disagg,128,32,,,,,,,,50,5";
  request.truth = folder.write("truth.csv", header + "a,2026-01-01.csv,4,0," + row + ",2,1,2,2,2\n" +
                                                "b,2026-01-01.csv,4,0," + row + ",,1,,2,2\n");
  request.threads = 1;
  const ConcurrencyValidation result = validate_concurrency(request, fixed_latency());
  EXPECT_TRUE(result.cells.empty());
  ASSERT_EQ(result.other_cells.size(), 1u);
  const ConcurrencyCell& cell = result.other_cells[0];
  EXPECT_EQ(cell.group, CellGroup::Disaggregated);
  EXPECT_EQ(cell.prefill_workers, 2);
  EXPECT_EQ(cell.decode_workers, 2);
  EXPECT_EQ(cell.tp, 2);
  EXPECT_EQ(cell.requests, 40);
  EXPECT_GT(cell.ttft.predicted, 0);
  const Json document = concurrency_validation_json(result);
  EXPECT_EQ(document["disaggregated"]["overall"]["cells"], 1);
  EXPECT_EQ(document["overall"]["cells"], 0);
  EXPECT_TRUE(document["overall"]["tpot_median_error"].is_null());
  EXPECT_EQ(document["exclusions"][2]["rule"], "pools_not_stated");
  EXPECT_EQ(document["exclusions"][2]["rows"], 1);
}

TEST(ValidateConcurrency, KeepsFittedFiguresApart) {
  const auto row = [](const std::string& id, const std::string& model, const std::string& gpu) {
    return id + ",other.csv,4,0,vllm,0.19.0," + model + "," + gpu + ",bf16,agg,128,32,,,4,1,1,,,50,5\n";
  };
  const TruthFile truth(row("a", "meta-llama/Llama-3.1-70B", "b200_sxm") +
                        row("b", "meta-llama/Llama-3.1-70B", "h100_sxm"));
  const Json document = concurrency_validation_json(validate_concurrency(truth.request, fixed_latency()));
  EXPECT_EQ(document["fitted"]["overall"]["ttft_cells"], 1);
  EXPECT_EQ(document["check"]["overall"]["ttft_cells"], 1);
  EXPECT_EQ(document["fitted"]["overall"]["cells"], 2);  // the serial tail was set with all of vLLM in view
  EXPECT_EQ(document["check"]["overall"]["cells"], 0);
}

TEST(ValidateConcurrency, DoesNotDependOnThreads) {
  std::string rows;
  for (int n = 1; n <= 6; ++n)
    rows += std::to_string(n) + ",2026-01-01.csv," + std::to_string(n) + ",0," + kLlamaTruth;
  TruthFile truth(rows);
  const std::string one =
      json_text(concurrency_validation_json(validate_concurrency(truth.request, fixed_latency())));
  truth.request.threads = 4;
  EXPECT_EQ(one,
            json_text(concurrency_validation_json(validate_concurrency(truth.request, fixed_latency()))));
}

}  // namespace
}  // namespace warploom
