#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

std::string row(const std::string& gpu, double us, const std::string& op) {
  std::string quoted;
  for (const char c : op) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return gpu + ",vllm," + std::to_string(us) + ",\"" + quoted + "\"\n";
}

// A slow product, a fast one, and a copy into the cache, whose family has no ceiling.
std::string measured(const std::string& gpu) {
  return "gpu,framework,latency_us,operator\n" +
         row(gpu, 2000, R"({"family":"gemm","m":4096,"n":4096,"k":4096})") +
         row(gpu, 1650, R"({"family":"gemm","m":8192,"n":8192,"k":8192})") +
         row(gpu, 40, R"({"family":"kv_write","tokens":4096})");
}

TEST(Diagnose, RanksByTheTimeThatWouldBeSaved) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured("h100_sxm")),
                    html = scratch.path() / "page.html";
  const ProgramResult result =
      run_warploom({"diagnose", "--data", csv, "--gpu", "h100_sxm", "--html", html, "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto document = nlohmann::json::parse(result.output);
  ASSERT_EQ(document["kernels"].size(), 2U);
  EXPECT_EQ(document["kernels"][0]["operator"]["m"], 4096);
  EXPECT_GT(document["kernels"][0]["saved_us"], 1000);
  double saved = 0;
  for (const auto& group : document["groups"]) saved += group["saved_us"].get<double>();
  EXPECT_NEAR(saved, document["saved_us"].get<double>(), 1e-6);
  ASSERT_EQ(document["left_out"].size(), 1U);
  EXPECT_EQ(document["left_out"][0]["what"], "kv_write: no ceiling of the family");
  EXPECT_NEAR(document["left_out"][0]["time_us"].get<double>(), 40, 1e-9);
  EXPECT_TRUE(document["borrowed"].empty());
  std::ifstream file(html);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("warploom-report"), std::string::npos);
  EXPECT_NE(page.str().find("kv_write: no ceiling of the family"), std::string::npos);
  EXPECT_NE(page.str().find("</html>"), std::string::npos);
}

TEST(Diagnose, DrawsRooflinesThatReferToNothingOutside) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured("h100_sxm")),
                    html = scratch.path() / "rooflines.html";
  const ProgramResult result =
      run_warploom({"diagnose", "--data", csv, "--gpu", "h100_sxm", "--rooflines", html, "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  std::ifstream file(html);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("<svg"), std::string::npos);
  EXPECT_NE(page.str().find("</html>"), std::string::npos);
  EXPECT_EQ(page.str().find("http"), std::string::npos);
  EXPECT_EQ(page.str().find("nan"), std::string::npos);
}

TEST(Diagnose, UnknownFamiliesAreListedWithTheirShareOfTheTime) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured("h100_sxm"));
  const ProgramResult result = run_warploom({"diagnose", "--data", csv, "--gpu", "h100_sxm"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("kv_write: no ceiling of the family (1 rows, 40.0 us, 1.1 % of the time)"),
            std::string::npos)
      << result.output;
}

TEST(Diagnose, GpuWithoutRowsSaysWhereItsCeilingComesFrom) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured("rtx_4090"));
  const ProgramResult result = run_warploom({"diagnose", "--data", csv, "--gpu", "rtx_4090"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("no gemm rows of rtx_4090: their ceiling comes from "), std::string::npos);
  EXPECT_NE(result.output.find("h100_sxm"), std::string::npos);
}

TEST(Diagnose, PredictedWorkloadEndsWithTheExpectedChange) {
  const std::vector<std::string> arguments{"diagnose", "--model", "Llama-3.1-8B", "--gpu", "H100-SXM",
                                           "--batch",  "8",       "--input",      "512",   "--output",
                                           "64",       "--json"};
  const ProgramResult result = run_warploom(arguments);
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(run_warploom(arguments).output, result.output);
  const auto changes = nlohmann::json::parse(result.output)["changes"];
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0]["figure"], "TTFT");
  EXPECT_EQ(changes[1]["figure"], "TPOT");
  for (const auto& change : changes) {
    EXPECT_GT(change["now_ms"], 0);
    EXPECT_LE(change["least_saved_ms"], change["saved_ms"]);
    EXPECT_LE(change["saved_ms"], change["most_saved_ms"]);
    EXPECT_LT(change["most_saved_ms"], change["now_ms"]);
  }
}

TEST(Diagnose, RefusesWhatHoldsNoKernelWithAShape) {
  const ScratchFolder scratch;
  const std::string empty = scratch.write("empty.csv", "gpu,framework,latency_us,operator\n");
  expect_refusal({"diagnose", "--data", empty, "--gpu", "h100_sxm"}, {"no kernel", "shape"});
  const std::string other = scratch.write("other.csv", measured("a100_sxm"));
  expect_refusal({"diagnose", "--data", other, "--gpu", "h100_sxm"}, {"no kernel of h100_sxm", "left out"});
}

TEST(Diagnose, RefusesBadRequests) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured("h100_sxm"));
  expect_refusal({"diagnose", "--gpu", "h100_sxm"}, {"--data", "--model"});
  expect_refusal({"diagnose", "--gpu", "h100_sxm", "--data", csv, "--model", "Llama-3.1-8B", "--input", "9",
                  "--output", "9"},
                 {"one of them"});
  expect_refusal({"diagnose", "--gpu", "h100_sxm", "--data", csv, "--quantile", "0.3"},
                 {"--quantile is 0.3", "0.5 to 0.99"});
  expect_refusal({"diagnose", "--gpu", "h100x", "--data", csv}, {"h100x"});
  expect_refusal({"diagnose", "--gpu", "h100_sxm", "--data", csv, "--ceilings", scratch.path()},
                 {"no ceiling files"});
}

}  // namespace
}  // namespace warploom
