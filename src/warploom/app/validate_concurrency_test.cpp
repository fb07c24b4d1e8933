#include "warploom/app/validate_concurrency.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/app/concurrency_launch.h"
#include "warploom/app/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

constexpr const char* kHeader =
    "id,dump,concurrency,wip,backend,backend_version,model_path,system,precision,mode,isl,osl,gemm_quant_"
    "mode,moe_"
    "quant_mode,"
    "tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,silicon_ttft_ms,silicon_tpot_ms\n";
constexpr const char* kLlama =
    "vllm,0.19.0,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,128,32,,,1,1,1,,,50,5\n";

struct Truth {
  ScratchFolder folder;
  ValidateConcurrencyRequest request;
  explicit Truth(const std::string& rows) {
    request.truth = folder.write("truth.csv", kHeader + rows);
    request.threads = 1;
  }
};

TEST(ConcurrencyTruth, CountsWhatEachFilterDrops) {
  const std::string llama = kLlama;
  const Truth truth(
      "a,2026-01-01.csv,4,0," + llama + "b,2026-01-01.csv,4,0," + llama + "c,2026-01-01.csv,4,1," + llama +
      "d,2026-01-01.csv,,0," + llama +
      "e,2026-01-01.csv,4,0,vllm,,meta-llama/Llama-3.1-8B,h100_sxm,bf16,disagg,128,32,,,1,1,1,,,50,5\n" +
      "f,2026-01-01.csv,4,0,vllm,,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,128,32,,,1,1,1,,0,50,\n");
  std::vector<DroppedRows> dropped;
  const auto rows = filter_concurrency_truth(read_concurrency_truth(truth.request.truth), dropped);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].id, "a");
  ASSERT_EQ(dropped.size(), 5u);
  for (const DroppedRows& entry : dropped) EXPECT_EQ(entry.rows, 1) << entry.reason;
}

TEST(ConcurrencyTruth, DropsRoundedRepeats) {
  const std::string place = "vllm,0.19.0,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,128,32,,,1,1,1,,,";
  const Truth truth("a,2026-01-01.csv,4,0," + place + "50.1234,5.4321\nb,2026-02-01.csv,4,0," + place +
                    "50.12,5.43\nc,2026-02-01.csv,4,0," + place + "50.2,5.43\n");
  std::vector<DroppedRows> dropped;
  const auto rows = filter_concurrency_truth(read_concurrency_truth(truth.request.truth), dropped);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].id, "c");
}

TEST(ConcurrencyTruth, DropsRunsThatDraftAndTheirRoundedRepeats) {
  const auto row = [](const std::string& image, const std::string& figures) {
    ConcurrencyTruth truth;
    truth.backend = "sglang";
    truth.model = "Qwen/Qwen3.5-397B-A17B";
    truth.system = "b200_sxm";
    truth.precision = "fp8";
    truth.mode = "agg";
    truth.image = image;
    truth.concurrency = truth.tp = 4;
    truth.input_tokens = truth.output_tokens = 1024;
    truth.ttft = 300;
    truth.tpot = std::stod(figures);
    truth.content_hash = std::hash<std::string>()(image + figures);
    return truth;
  };
  std::vector<DroppedRows> dropped;
  const auto kept =
      filter_concurrency_truth({row("lmsysorg/sglang:v0.5.9-cu130", "6.331"),
                                row("lmsysorg/sglang:v0.5.9-cu130-amd64", "9.94"), row("", "6.33")},
                               dropped);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].tpot, 9.94);
  ASSERT_EQ(dropped.size(), 2u);
}

TEST(ConcurrencyTruth, UndoesTensorTimesExpertParallelism) {
  const std::string model = "sglang,0.5.9,deepseek-ai/DeepSeek-V3,h200_sxm,fp8,agg,128,32,fp8,fp8,";
  const Truth truth("a,2026-01-01.csv,4,0," + model + "64,1,1,8,8,50,5\nb,2026-01-01.csv,4,0," + model +
                    "1,1,64,8,8,51,5\nc,2026-01-01.csv,4,0," + model + "8,1,1,8,1,52,5\n");
  std::vector<DroppedRows> dropped;
  const auto rows = filter_concurrency_truth(read_concurrency_truth(truth.request.truth), dropped);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].tp, 8);
  EXPECT_EQ(rows[0].moe_tp, 1);
  EXPECT_EQ(rows[0].moe_ep, 8);
  EXPECT_EQ(rows[1].tp, 1);
  EXPECT_EQ(rows[1].attention_dp, 8);
  EXPECT_EQ(rows[2].tp, 8);
  EXPECT_EQ(rows[2].moe_tp, 8);
}

TEST(ConcurrencyTruth, RefusesBadNumbers) {
  EXPECT_THROW(read_concurrency_truth(Truth("a,2026-01-01.csv,-4,0," + std::string(kLlama)).request.truth),
               InvalidInput);
  EXPECT_THROW(read_concurrency_truth(Truth("").request.truth), InvalidInput);
}

TEST(ValidateConcurrency, ClosesTheLoopAtTheStatedConcurrency) {
  const Truth truth("a,2026-01-01.csv,4,0," + std::string(kLlama));
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
  const Truth truth("a,meta-llama.csv,4,0," + place + "50,5\n");
  const std::shared_ptr<const LatencyModel> latency = fixed_latency();
  const ConcurrencyValidation validation = validate_concurrency(truth.request, latency);
  ASSERT_EQ(validation.cells.size(), 1u);
  EXPECT_FALSE(validation.cells[0].judges_ttft);
  const Json overall = concurrency_validation_json(validation)["overall"];
  EXPECT_EQ(overall["cells"], 1);
  EXPECT_EQ(overall["ttft_cells"], 0);
  EXPECT_TRUE(overall["ttft_median_error"].is_null());
  EXPECT_GT(overall["tpot_median_error"], 0);
  EXPECT_NE(concurrency_validation_text(validation).find("1  of them judged by TPOT alone"),
            std::string::npos);
}

TEST(ValidateConcurrency, DoesNotDependOnThreads) {
  std::string rows;
  for (int n = 1; n <= 6; ++n)
    rows += std::to_string(n) + ",2026-01-01.csv," + std::to_string(n) + ",0," + kLlama;
  Truth truth(rows);
  const std::string one =
      json_text(concurrency_validation_json(validate_concurrency(truth.request, fixed_latency())));
  truth.request.threads = 4;
  EXPECT_EQ(one,
            json_text(concurrency_validation_json(validate_concurrency(truth.request, fixed_latency()))));
}

TEST(ValidateConcurrency, SaysWhyNothingIsLeft) {
  const Truth truth(
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
  EXPECT_EQ(launch_of(row).config.max_num_batched_tokens, 1152);
  EXPECT_EQ(launch_of(row).config.moe_backend, "auto");
  row.version = "1.2.0rc6.post2";
  EXPECT_EQ(launch_of(row).config.max_num_batched_tokens, 8192);
  EXPECT_EQ(launch_of(row).config.moe_backend, "flashinfer_trtllm");
  row.backend = "sglang";
  EXPECT_EQ(launch_of(row).config.fp8_gemm_backend, "auto");  // nothing is known of a run without an image
  row.image = "lmsysorg/sglang:v0.5.9-cu130";
  EXPECT_EQ(launch_of(row).config.fp8_gemm_backend, "flashinfer_trtllm");
  EXPECT_TRUE(launch_of(row).config.enable_flashinfer_allreduce_fusion);
}

TEST(QuantizedModel, KeepsStoredQuantisationAndRefusesAnother) {
  ConcurrencyTruth row;
  row.gemm_quantization = row.moe_quantization = "fp8";
  const ModelArchitecture dense = quantized_model(row, load_model("Llama-3.1-8B"));
  EXPECT_EQ(dense.layers[0].schemes.mlp, MatmulScheme::Fp8);
  const ModelArchitecture stored = load_model("DeepSeek-V3");
  EXPECT_EQ(quantized_model(row, stored).layers.back().schemes.experts, stored.layers.back().schemes.experts);
  row.gemm_quantization = row.moe_quantization = "nvfp4";
  EXPECT_THROW(quantized_model(row, stored), Unsupported);
}

TEST(ShardingOfRow, RefusesExpertsOnOtherGpusThanAttention) {
  ConcurrencyTruth row;
  row.tp = 2;
  row.moe_tp = 4;
  row.moe_ep = 1;
  EXPECT_THROW(sharding_of(row, load_model("DeepSeek-V3")), InvalidInput);
  row.attention_dp = 2;
  EXPECT_EQ(sharding_of(row, load_model("DeepSeek-V3")).attention_data_parallel, 2);
  EXPECT_EQ(sharding_of(row, load_model("Llama-3.1-8B")).tensor_parallel, 2);
}

}  // namespace
}  // namespace warploom
