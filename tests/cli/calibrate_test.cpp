#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path fixture(const char* name) {
  return source_folder() / "tests" / "fixtures" / "collector" / "h200" / name;
}

// The first `lines` of the recorded sweep.
std::string beginning(std::size_t lines) {
  const std::string text = read_file(fixture("sweep") / "sweep.csv.gz");
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

TEST(Calibrate, OneSweepServesShapesNeverSwept) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() / "calibrated", record = scratch.path() / "record.json";
  const ProgramResult done = run_warploom({"calibrate", "--gpu", "h200_sxm", "--data", fixture("sweep"),
                                           "--output", folder, "--record", record, "--json"});
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  const json report = json::parse(done.output);
  EXPECT_GT(report["before"]["mean_error"], 0.15);
  EXPECT_LT(report["after"]["mean_error"], 0.035);
  EXPECT_GT(report["constants"]["dram_copy_gb_per_s"], 4000);

  const std::string check = fixture("check") / "sweep.csv.gz";
  const ProgramResult judged = run_warploom({"validate", "kernels", "--layout", "warploom", "--data", check,
                                             "--all-rows", "--predictor", folder, "--json"});
  ASSERT_EQ(judged.exit_status, 0) << judged.errors;
  const json errors = json::parse(judged.output);
  EXPECT_GT(errors["overall"]["rows"], 1100);
  EXPECT_LT(errors["overall"]["mean_error"], 0.038);
  EXPECT_LT(errors["overall"]["median_error"], 0.026);

  const ProgramResult priced = run_warploom({"predict", "gemm", "--gpu", "h200_sxm", "--m", "777", "--n",
                                             "4096", "--k", "4096", "--predictor", folder, "--json"});
  ASSERT_EQ(priced.exit_status, 0) << priced.errors;
  EXPECT_NE(priced.output.find("cublaslt"), std::string::npos);
  EXPECT_NE(priced.output.find("\"measured\""), std::string::npos);
  EXPECT_EQ(json::parse(read_file(record))["max_clock_mhz"], 1965);
}

TEST(Calibrate, LeavesOtherKernelsAsTheyWere) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() / "calibrated",
                    sweep = scratch.write("sweep.csv", beginning(3000));
  ASSERT_EQ(run_warploom({"calibrate", "--gpu", "h200_sxm", "--data", sweep, "--output", folder}).exit_status,
            0);
  for (const char* gpu : {"h200_sxm", "h100_sxm", "b300_sxm"}) {
    const std::vector<std::string> question{"predict", "gemm", "--gpu", gpu,           "--m",  "777",   "--n",
                                            "4096",    "--k",  "4096",  "--framework", "vllm", "--json"};
    std::vector<std::string> calibrated = question;
    calibrated.insert(calibrated.end(), {"--predictor", folder});
    EXPECT_EQ(run_warploom(question).output, run_warploom(calibrated).output) << gpu;
  }
}

TEST(Calibrate, RefusesWhatItCannotUse) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() / "calibrated", sweep = fixture("sweep");
  expect_refusal({"calibrate", "--gpu", "h100_sxm", "--data", sweep, "--output", folder},
                 {"h200_sxm", "h100_sxm", "own sweep"});
  const std::string whole = beginning(200);
  const std::string cut = scratch.write("cut.csv", whole.substr(0, whole.size() - 30));
  expect_refusal({"calibrate", "--gpu", "h200_sxm", "--data", cut, "--output", folder},
                 {"cut.csv:200", "--resume"});
  const std::string none = scratch.write("none.csv", beginning(3));
  expect_refusal({"calibrate", "--gpu", "h200_sxm", "--data", none, "--output", folder}, {"no usable row"});
  expect_refusal({"calibrate", "--gpu", "h200_sxm", "--data", scratch.path(), "--output", folder},
                 {"sweep.csv"});
  EXPECT_FALSE(fs::exists(folder));
}

TEST(SweepPlan, ChoosesShapesThatAreInNoOtherPlan) {
  const ScratchFolder scratch;
  const std::string plan = scratch.path() / "plan.csv", check = scratch.path() / "check.csv";
  ASSERT_EQ(run_warploom({"sweep-plan", "--gpu", "h200_sxm", "--like", "Llama-3.1-8B", "--operators", "500",
                          "--output", plan})
                .exit_status,
            0);
  const ProgramResult drawn =
      run_warploom({"sweep-plan", "--gpu", "h200_sxm", "--like", "Llama-3.1-8B", "--random", "200",
                    "--apart-from", plan, "--output", check, "--json"});
  ASSERT_EQ(drawn.exit_status, 0) << drawn.errors;
  EXPECT_GT(json::parse(drawn.output)["operators"]["gemm"], 50);
  expect_refusal({"sweep-plan", "--gpu", "h200_sxm", "--like", "no-such-model", "--output", plan},
                 {"no-such-model"});
}

}  // namespace
}  // namespace warploom
