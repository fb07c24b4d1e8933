#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

const std::string kSidecar = "E=128,N=768,device_name=NVIDIA_H200.warploom.json";

// Equal prompts in a closed loop: no prompt's luck with the step that it arrives in turns means around.
std::vector<std::string> simulate(const std::string& gpu, const std::string& tuned) {
  return {"simulate",
          "--model",
          "Qwen3-30B-A3B",
          "--gpu",
          gpu,
          "--random-input-len",
          "1000",
          "--random-output-len",
          "100",
          "--num-prompts",
          "100",
          "--max-concurrency",
          "32",
          "--json",
          "--no-intervals",
          "--tuned",
          tuned};
}

TEST(MoeConfig, FilesAreWrittenAndReadBySimulate) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() / "configs";
  const ProgramResult made = run_warploom(
      {"moe-config", "--model", "Qwen3-30B-A3B", "--gpu", "H200-SXM", "--output", folder, "--json"});
  ASSERT_EQ(made.exit_status, 0) << made.errors;
  const auto document = nlohmann::json::parse(made.output);
  EXPECT_EQ(document["tier"], "cross_gpu");
  ASSERT_EQ(document["files"].size(), 2U);
  for (const auto& file : document["files"]) EXPECT_TRUE(std::filesystem::exists(file.get<std::string>()));
  const std::string sidecar = folder + "/" + kSidecar;
  const ProgramResult run = run_warploom(simulate("H200-SXM", sidecar));
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const auto tuned = nlohmann::json::parse(run.output)["tuned"];
  for (const char* figure : {"ttft", "tpot"}) {
    EXPECT_LT(tuned[figure]["expected_ms"], tuned[figure]["before_ms"]) << figure;
    EXPECT_LT(tuned[figure]["most_ms"], tuned[figure]["least_ms"]) << figure;
  }
  expect_refusal(simulate("H100-SXM", sidecar), {"never launches", "h200_sxm"});
  expect_refusal(simulate("H200-SXM", folder + "/E=128,N=768,device_name=NVIDIA_H200.json"),
                 {"is no table of `moe-config`"});
}

TEST(MoeConfig, TableOfTheGpuIsTierMeasured) {
  const ScratchFolder scratch;
  const std::string table = scratch.path() / "grouped.wlt";
  const std::string samples =
      std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/tuner/grouped_anchors.csv.gz";
  const ProgramResult fitted =
      run_warploom({"tune", "fit", "--gpu", "H200", "--samples", samples, "--kind", "grouped_gemm",
                    "--experts", "16", "--top-k", "2", "--output", table});
  ASSERT_EQ(fitted.exit_status, 0) << fitted.errors;
  const std::vector<std::string> layer{"moe-config", "--top-k", "2",        "--hidden", "4096",
                                       "--table",    table,     "--gpu",    "H200-SXM", "--intermediate",
                                       "1536",       "--json",  "--engine", "sglang"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), layer.begin(), layer.end());
    return more;
  };
  const ProgramResult made = run_warploom(with({"--experts", "16"}));
  ASSERT_EQ(made.exit_status, 0) << made.errors;
  const auto document = nlohmann::json::parse(made.output);
  EXPECT_EQ(document["tier"], "measured");
  EXPECT_EQ(document["measured_on"], nlohmann::json::array({"h200_sxm"}));
  // Long products of few experts want large tiles; the engine's default has 64 x 64.
  EXPECT_GT(document["rows"]["4096"]["speedup"]["p50"], 1.5);
  EXPECT_GE(document["rows"]["4096"]["config"]["BLOCK_SIZE_N"], 128);
  for (const auto& [tokens, row] : document["rows"].items()) EXPECT_GE(row["speedup"]["p10"], 1) << tokens;
  expect_refusal(with({"--experts", "32"}), {"--table is of 16 experts", "expected 32"});
}

TEST(MoeConfig, RefusesSizesThatTheEngineWouldNotAccept) {
  const std::vector<std::string> base{"moe-config", "--gpu", "H200-SXM"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  expect_refusal(with({"--experts", "128", "--top-k", "200"}), {"top_k 200 of 128 experts"});
  expect_refusal(with({"--experts", "128", "--top-k", "8", "--expert-parallel", "3"}), {"expert_parallel 3"});
  expect_refusal(with({"--intermediate", "1000"}), {"1000 is not divisible"});
  expect_refusal(with({"--model", "Llama-3.1-8B"}), {"has no mixture of experts"});
  expect_refusal(with({"--dtype", "fp8_w8a8"}), {"no search", "--table"});
  expect_refusal(with({"--engine", "vlm"}), {"--engine", "vllm"});
}

}  // namespace
}  // namespace warploom
