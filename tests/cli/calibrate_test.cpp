#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <vector>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/learning.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path fixture(const char* name, const char* machine = "h200") {
  return source_folder() / "tests" / "fixtures" / "collector" / machine / name;
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
  const std::vector<std::string> learn{"calibrate", "--gpu", "h200_sxm", "--data", fixture("sweep"),
                                       "--output",  folder,  "--record", record,   "--json"};
  if (!learning_available()) return expect_refusal(learn, {"calibrate ", "libxgboost-dev"});
  const ProgramResult done = run_warploom(learn);
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  const json report = json::parse(done.output);
  EXPECT_GT(report["before"]["mean_error"], 0.15);
  EXPECT_LT(report["after"]["mean_error"], 0.026);
  EXPECT_GT(report["constants"]["dram_copy_gb_per_s"], 4000);

  const std::string check = fixture("check") / "sweep.csv.gz";
  const ProgramResult judged = run_warploom({"validate", "kernels", "--layout", "warploom", "--data", check,
                                             "--all-rows", "--predictor", folder, "--json"});
  ASSERT_EQ(judged.exit_status, 0) << judged.errors;
  const json errors = json::parse(judged.output);
  EXPECT_GT(errors["overall"]["rows"], 2100);
  EXPECT_LT(errors["overall"]["mean_error"], 0.027);
  EXPECT_LT(errors["overall"]["median_error"], 0.015);
  for (const char* family : {"attention_prefill", "attention_decode"})
    EXPECT_LT(errors["families"][family]["mean_error"], 0.02) << family;

  const ProgramResult priced = run_warploom({"predict", "gemm", "--gpu", "h200_sxm", "--m", "777", "--n",
                                             "4096", "--k", "4096", "--predictor", folder, "--json"});
  ASSERT_EQ(priced.exit_status, 0) << priced.errors;
  EXPECT_NE(priced.output.find("cublaslt"), std::string::npos);
  EXPECT_NE(priced.output.find("\"measured\""), std::string::npos);
  EXPECT_EQ(json::parse(read_file(record))["max_clock_mhz"], 1980);
}

// Rows of exchanges between GPUs of a node whose times follow a formula with two protocols, 1 % of noise on
// top. Sizes are spread evenly over their logarithm, from `first` on in steps that never meet those of
// another start.
std::string exchanges(int count, double first) {
  std::string text = "gpu,framework,version,kernel,latency_us,n_samples,operator\n";
  const std::array<const char*, 5> families{"allreduce", "allgather", "reduce_scatter", "alltoall",
                                            "send_recv"};
  std::mt19937_64 random(static_cast<std::uint64_t>(first * 1000));
  std::normal_distribution<double> noise(1, 0.01);
  for (int i = 0; i < count; ++i)
    for (const int ranks : {2, 4, 8})
      for (const char* family : families) {
        const double place = (i + first) / count;
        const std::int64_t size =
            std::llround(1024 * std::pow(double(1 << 20), place) / (16 * ranks)) * 16 * ranks;
        if (size == 0) continue;
        const double share = std::string_view(family) == "send_recv"   ? 1
                             : std::string_view(family) == "allreduce" ? 2.0 * (ranks - 1) / ranks
                                                                       : double(ranks - 1) / ranks;
        const double us = 5 + 1.5 * ranks + share * double(size) / (size < 262144 ? 75e3 : 330e3);
        text += fmt::format(
            "NVIDIA H200,warploom,2.28.3,nccl,{:.4f},9,\"{{\"\"family\"\":\"\"{}\"\",\"\"size_bytes\"\":{},"
            "\"\"ranks\"\":{}}}\"\n",
            us * noise(random), family, size, ranks);
      }
  return text;
}

// The check sweep as if another Hopper had been swept, one that no engine was measured on.
std::string relabelled_sweep() {
  std::string text = read_file(fixture("check") / "sweep.csv.gz");
  const std::string from = "NVIDIA H200,", to = "h200_nvl,";
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    if (at == 0 || text[at - 1] == '\n')
      text.replace(at, from.size(), to), at += to.size();
    else
      at += from.size();
  return text;
}

json predicted(const std::vector<std::string>& what, const std::string& engine,
               const std::string& predictor) {
  std::vector<std::string> arguments{"predict"};
  arguments.insert(arguments.end(), what.begin(), what.end());
  for (const char* more : {"--gpu", "h200_nvl", "--json"}) arguments.emplace_back(more);
  if (!engine.empty()) arguments.insert(arguments.end(), {"--framework", engine});
  if (!predictor.empty()) arguments.insert(arguments.end(), {"--predictor", predictor});
  const ProgramResult done = run_warploom(arguments);
  EXPECT_EQ(done.exit_status, 0) << done.errors;
  return json::parse(done.output);
}

// Kernels of the collector are simpler than those that engines call: prefill attention came out at 622 us
// after calibrating where engines need 376.
TEST(Calibrate, LeavesWhatEnginesRunToWhatIsKnownOfThem) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() / "calibrated",
                    sweep = scratch.write("sweep.csv", relabelled_sweep());
  const ProgramResult done =
      run_warploom({"calibrate", "--gpu", "h200_nvl", "--data", sweep, "--output", folder, "--json"});
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  const std::vector<std::vector<std::string>> operators{
      {"attention_prefill", "--heads", "32", "--kv-heads", "8", "--requests", "4x2048"},
      {"attention_decode", "--heads", "32", "--kv-heads", "8", "--requests", "64x1+2000"},
      {"moe", "--tokens", "256", "--hidden", "2048", "--intermediate", "768", "--experts", "128", "--top-k",
       "8"},
      {"gemm", "--m", "512", "--n", "4096", "--k", "4096"},
      {"rmsnorm", "--tokens", "512", "--width", "4096"}};
  for (const auto& what : operators)
    for (const char* engine : {"vllm", "sglang", "trtllm"}) {
      const json before = predicted(what, engine, ""), after = predicted(what, engine, folder);
      EXPECT_EQ(after["p50_us"], before["p50_us"]) << what[0] << " " << engine;
      EXPECT_EQ(after["kernel"], before["kernel"]) << what[0] << " " << engine;
    }
  // The library itself is measured now, and answers where no engine is named.
  EXPECT_EQ(predicted(operators[3], "", folder)["kernel"], "cublaslt");
}

TEST(Calibrate, LearnsCollectivesOfANode) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() / "calibrated",
                    sweep = scratch.write("sweep.csv", exchanges(90, 0)),
                    check = scratch.write("check.csv", exchanges(20, 0.37));
  const ProgramResult done =
      run_warploom({"calibrate", "--gpu", "h200_sxm", "--data", sweep, "--output", folder, "--json"});
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  const ProgramResult judged = run_warploom({"validate", "kernels", "--layout", "warploom", "--data", check,
                                             "--all-rows", "--predictor", folder, "--json"});
  ASSERT_EQ(judged.exit_status, 0) << judged.errors;
  const json errors = json::parse(judged.output);
  for (const char* family : {"allreduce", "allgather", "reduce_scatter", "alltoall", "send_recv"}) {
    EXPECT_GE(errors["families"][family]["rows"], 50) << family;
    EXPECT_LT(errors["families"][family]["mean_error"], 0.05) << family;
  }
}

TEST(Calibrate, LearnsCollectivesOfTwoGpus) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() / "calibrated";
  ASSERT_EQ(run_warploom(
                {"calibrate", "--gpu", "h200_sxm", "--data", fixture("sweep", "h200_x2"), "--output", folder})
                .exit_status,
            0);
  const std::string check = fixture("check", "h200_x2") / "sweep.csv.gz";
  const ProgramResult judged = run_warploom({"validate", "kernels", "--layout", "warploom", "--data", check,
                                             "--all-rows", "--predictor", folder, "--json"});
  ASSERT_EQ(judged.exit_status, 0) << judged.errors;
  const json errors = json::parse(judged.output);
  EXPECT_EQ(errors["overall"]["rows"], 300);
  for (const char* family : {"allreduce", "allgather", "reduce_scatter", "alltoall", "send_recv"})
    EXPECT_LT(errors["families"][family]["mean_error"], 0.04) << family;
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
                 {"cut.csv:200", "warploom-collect resumes it"});
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
  const std::string chosen = read_file(plan);
  const auto products = [&](const std::string& scheme) {
    const std::string text = "\"\"gemm\"\",\"\"scheme\"\":\"\"" + scheme + "\"\"";
    int count = 0;
    for (std::size_t at = 0; (at = chosen.find(text, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_GT(products("bf16"), 100);
  EXPECT_NEAR(products("bf16"), products("fp8_static"), 1);
  expect_refusal({"sweep-plan", "--gpu", "h200_sxm", "--like", "no-such-model", "--output", plan},
                 {"no-such-model"});
}

}  // namespace
}  // namespace warploom
