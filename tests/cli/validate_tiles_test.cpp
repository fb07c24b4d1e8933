#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/learning.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

using nlohmann::json;

std::string recorded() {
  return source_folder() / "tests" / "fixtures" / "collector" / "h200" / "tiles" / "tiles.csv.gz";
}

const json& source_of(const json& cell, const char* source) { return cell["sources"][source]; }

// 496 products that cublasLt was asked for on an H200, at 132 and 78 SMs; 16 of them timed.
TEST(ValidateTiles, LearnsMoreThanNeighboursAndMinimumKnow) {
  const std::vector<std::string> learn{"validate",        "tiles",  "--data", recorded(),
                                       "--leave-out-sms", "--rows", "300",    "--json"};
  if (!learning_available()) return expect_refusal(learn, {"choice of tiles", "libceres-dev"});
  const ProgramResult done = run_warploom(learn);
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  const json report = json::parse(done.output);
  EXPECT_EQ(report["gpu"], "NVIDIA H200");
  EXPECT_GT(report["judged"], 150);
  EXPECT_GT(report["library_regret"]["mean"], 0);
  std::size_t judged = 0;
  for (const json& cell : report["cells"]) {
    if (cell["scheme"] != "bf16") continue;
    ++judged;
    const json &ranking = source_of(cell, "ranking"), &nearest = source_of(cell, "nearest");
    EXPECT_GT(ranking["tile"], double(nearest["tile"]) + 0.1) << cell;
    EXPECT_GT(ranking["waves"], double(nearest["waves"]) + 0.1) << cell;
    EXPECT_GT(ranking["tile"], double(source_of(cell, "minimum")["tile"]) + 0.1) << cell;
    EXPECT_LE(ranking["tile_and_split"], ranking["tile"]);
  }
  EXPECT_EQ(judged, 4U);  // whole GPU and fewer SMs, learned from all and from the other
  const ProgramResult again = run_warploom({"validate", "tiles", "--data", recorded(), "--leave-out-sms",
                                            "--rows", "300", "--json", "--threads", "1"});
  EXPECT_EQ(again.output, done.output);
}

TEST(ValidateTiles, WritesWhatItLearned) {
  if (!learning_available()) GTEST_SKIP() << "built without the training libraries";
  const ScratchFolder scratch;
  const std::string file = scratch.path() / "ranking.json";
  const ProgramResult done =
      run_warploom({"validate", "tiles", "--data", recorded(), "--rows", "40", "--write", file});
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  EXPECT_NE(done.output.find("cublasLt 13.1.0"), std::string::npos);
  const json ranking = json::parse(read_file(file));
  EXPECT_EQ(ranking["schema"], "warploom.tile_ranking");
  EXPECT_EQ(ranking["source"], "NVIDIA H200, CUDA 13.0, cublasLt 13.1.0");
}

// The recorded products that are judged were kept out of the shipped ranking too.
TEST(ValidateTiles, JudgesTheShippedRanking) {
  const ProgramResult done = run_warploom({"validate", "tiles", "--data", recorded(), "--shipped", "--json"});
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  std::size_t cells = 0;
  const json report = json::parse(done.output);
  for (const json& cell : report["cells"]) {
    ++cells;
    EXPECT_EQ(cell["learned"], "shipped");
    if (cell["scheme"] == "bf16") {
      EXPECT_GT(source_of(cell, "ranking")["tile"], 0.5) << cell;
      EXPECT_GT(source_of(cell, "ranking")["waves"], 0.7) << cell;
    }
  }
  EXPECT_EQ(cells, 4U);
  expect_refusal({"validate", "tiles", "--data", recorded(), "--shipped", "--leave-out-sms"}, {"--shipped"});
}

// The shipped ranking was learned on an H200.
TEST(ValidateTiles, RequiresARankingOfTheGpuWhereAsked) {
  const std::vector<std::string> here{"validate",  "tiles",  "--data",         recorded(),
                                      "--shipped", "--json", "--require-tier", "measured"};
  const ProgramResult done = run_warploom(here);
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  EXPECT_GT(json::parse(done.output)["judged"], 150);
  std::vector<std::string> elsewhere = here;
  elsewhere.insert(elsewhere.end(), {"--gpu", "H100-SXM"});
  expect_refusal(elsewhere, {"--require-tier", "NVIDIA H200", "h100_sxm"});
  expect_refusal({"validate", "tiles", "--data", recorded(), "--require-tier", "roofline"},
                 {"--require-tier", "roofline", "measured"});
}

TEST(ValidateTiles, RefusesWhatIsNoDump) {
  const ScratchFolder scratch;
  const std::string file = scratch.path() / "tiles.csv";
  expect_refusal({"validate", "tiles", "--data", file}, {"tiles.csv"});
  write_file_atomically(file, "gpu,m\nNVIDIA H200,1\n");
  expect_refusal({"validate", "tiles", "--data", file}, {"library"});
  const std::string header = "gpu,sms,library,scheme,layout,m,n,k,rank,tile_m,tile_n,split_k,latency_us\n";
  write_file_atomically(file, header + "NVIDIA H200,132,lt,bf16,tn,8,x,64,0,64,64,1,\n");
  expect_refusal({"validate", "tiles", "--data", file}, {"column 'n'"});
  write_file_atomically(file, header + "NVIDIA H200,132,lt,bf16,tn,8,64,64,0,64,64,1,\n");
  expect_refusal({"validate", "tiles", "--data", file}, {"expected some of both"});
  expect_refusal({"validate", "tiles", "--data", recorded(), "--gpu", "h900"}, {"h900"});
}

TEST(Predict, SaysWhichTileCublasLikelyRuns) {
  const ProgramResult shown = run_warploom(
      {"predict", "gemm", "--gpu", "h200_sxm", "--m", "128", "--n", "6144", "--k", "1536", "--json"});
  ASSERT_EQ(shown.exit_status, 0) << shown.errors;
  const json tile = json::parse(shown.output)["cublas_tile"];
  const auto along = [](double size, double part) { return std::ceil(size / part); };
  EXPECT_NEAR(tile["waves"],
              along(128, tile["tile_m"]) * along(6144, tile["tile_n"]) * double(tile["splits"]) / 132, 1e-9);
  EXPECT_GT(tile["chance"], 0.1);
  const ProgramResult other = run_warploom(
      {"predict", "gemm", "--gpu", "a100_sxm", "--m", "128", "--n", "6144", "--k", "1536", "--json"});
  EXPECT_FALSE(json::parse(other.output).contains("cublas_tile"));
}

}  // namespace
}  // namespace warploom
