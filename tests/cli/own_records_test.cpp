#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

nlohmann::ordered_json h100_under_another_name() {
  auto record = nlohmann::ordered_json::parse(run_warploom({"gpu", "show", "h100", "--json"}).output);
  record["name"] = "future_gpu";
  record["title"] = "Future GPU";
  record["aliases"] = nlohmann::ordered_json::array();
  return record;
}

std::vector<std::string> gemm_on(const std::string& gpu) {
  return {"predict", "gemm", "--m", "4096", "--n", "4096", "--k", "4096", "--gpu", gpu, "--json"};
}

TEST(OwnGpu, IsPredictedByPath) {
  const ScratchFolder scratch;
  const std::string path = scratch.write("future.json", h100_under_another_name().dump());
  const ProgramResult own = run_warploom(gemm_on(path));
  ASSERT_EQ(own.exit_status, 0) << own.errors;
  const auto document = nlohmann::json::parse(own.output);
  EXPECT_EQ(document["gpu"], "future_gpu");
  EXPECT_NE(document["tier"], "measured");
  const auto known = nlohmann::json::parse(run_warploom(gemm_on("h100")).output);
  EXPECT_NEAR(document["p50_us"].get<double>() / known["p50_us"].get<double>(), 1.0, 0.3);
  const ProgramResult step =
      run_warploom({"step", "--model", "Qwen/Qwen3-8B", "--gpu", path, "--decode", "4x1024"});
  EXPECT_EQ(step.exit_status, 0) << step.errors;
}

TEST(OwnGpu, IsRefusedWithTheFieldThatIsWrong) {
  const ScratchFolder scratch;
  auto record = h100_under_another_name();
  record["boost_clock_mhz"] = -5;
  expect_refusal({"gpu", "show", scratch.write("gpu.json", record.dump())},
                 {"gpu.json", "'boost_clock_mhz' is -5"});
  record = h100_under_another_name();
  record["boost_clok_mhz"] = 5;
  expect_refusal({"gpu", "show", scratch.write("gpu.json", record.dump())},
                 {"boost_clok_mhz", "boost_clock_mhz"});
  record = h100_under_another_name();
  record.erase("sm_count");
  expect_refusal({"gpu", "show", scratch.write("gpu.json", record.dump())}, {"gpu.json", "sm_count"});
  record = h100_under_another_name();
  record["aliases"] = {"H100"};
  expect_refusal({"gpu", "show", scratch.write("gpu.json", record.dump())}, {"'H100' already names"});
}

}  // namespace
}  // namespace warploom
