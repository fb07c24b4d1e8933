#include "warploom/app/validate/calibrate_host_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

const std::filesystem::path kRunsFolder = WARPLOOM_SOURCE_DIR "/tests/fixtures/engine/vllm_0_24_h200/serving";

CalibrateHostRequest request_of_runs(const ScratchFolder& folder, std::vector<std::string> runs) {
  CalibrateHostRequest request;
  for (const std::string& run : runs) {
    request.runs.push_back(kRunsFolder / (run + ".json"));
    request.requests.push_back(kRunsFolder / (run + ".csv.gz"));
  }
  request.predictor = "roofline";
  request.output = folder.path() / "host.json";
  return request;
}

double size_of(const RunErrors& errors) {
  return std::abs(std::log1p(errors.tpot_mean)) + std::abs(std::log1p(errors.ttft_mean)) +
         std::abs(std::log1p(errors.ttft_p50)) + std::abs(std::log1p(errors.ttft_p90));
}

TEST(CalibrateHostRuns, BringsSimulatedRunsCloserAndJudgesEachByTheOthers) {
  const ScratchFolder folder;
  const HostCalibration found =
      calibrate_host_to(request_of_runs(folder, {"llama8b_sync_light", "llama8b_light"}));
  ASSERT_EQ(found.runs.size(), 2u);
  double before = 0, after = 0;
  for (const CalibratedRun& run : found.runs) {
    before += size_of(run.before);
    after += size_of(run.after);
    EXPECT_TRUE(run.unseen.has_value());
  }
  EXPECT_LT(after, before);
  EXPECT_EQ(found.runs[0].run, "llama8b_sync_light");
  EXPECT_TRUE(found.host.fit.determined(HostGroup::Step));
  EXPECT_EQ(load_host_profile((folder.path() / "host.json").string()).name, "host");
}

TEST(CalibrateHostRuns, RefusesWhatDoesNotPairOrStandsInTheRun) {
  const ScratchFolder folder;
  const auto refused = [&](auto change) {
    CalibrateHostRequest request = request_of_runs(folder, {"llama8b_light"});
    change(request);
    EXPECT_THROW(calibrate_host_to(request), InvalidInput);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "host.json"));
  };
  refused([](CalibrateHostRequest& request) { request.requests.clear(); });
  refused([](CalibrateHostRequest& request) { request.runs.clear(); });
  refused([](CalibrateHostRequest& request) { request.steps = {"steps.csv"}; });
  refused([](CalibrateHostRequest& request) { request.model = "Llama-3.1-8B"; });
  refused([](CalibrateHostRequest& request) { request.enforce_eager = true; });
}

}  // namespace
}  // namespace warploom
