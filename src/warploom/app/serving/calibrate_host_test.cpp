#include "warploom/app/serving/calibrate_host.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/host_steps.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

constexpr const char* kStepsFile =
    WARPLOOM_SOURCE_DIR "/tests/fixtures/engine/vllm_0_24_h200/steps/llama8b_steps.csv";

CalibrateHostRequest request_for(const std::filesystem::path& steps, const ScratchFolder& folder) {
  CalibrateHostRequest request;
  request.steps = {steps};
  request.model = "Llama-3.1-8B";
  request.gpu = "H200";
  request.engine_version = "0.24.0";
  request.output = folder.path() / "host.json";
  return request;
}

CalibrateHostResult calibrated(const CalibrateHostRequest& request) {
  return calibrate_host(request, open_latency_model(request.predictor));
}

TEST(CalibrateHost, LessensTheErrorOfStepsThatItDidNotSee) {
  const ScratchFolder folder;
  const CalibrateHostResult result = calibrated(request_for(kStepsFile, folder));
  ASSERT_TRUE(result.unseen.has_value());
  EXPECT_LT(result.unseen->median, result.before.median);
  EXPECT_LT(result.unseen->median, 0.12);
  EXPECT_TRUE(result.fit.determined(HostGroup::Step));
  // What was written is what was found, and can be used.
  const HostProfile read = load_host_profile((folder.path() / "host.json").string(), FileScope::machine());
  EXPECT_EQ(host_profile_to_json(read), host_profile_to_json(result.profile));
  EXPECT_EQ(read.name, "host");
  EXPECT_EQ(read.engine("vllm").engine, "vllm");
}

TEST(CalibrateHost, RefusesStepsThatItCannotRead) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& text) {
    const auto path = folder.write("steps.csv", text);
    EXPECT_THROW(calibrated(request_for(path, folder)), InvalidInput) << text;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "host.json"));
  };
  refused("kind,batch,wall_ms\n");
  refused("kind,batch,wall_ms\nverify,4x500,7\n");
  refused("kind,batch,wall_ms\ndecode,4x500+100,7\n");
  refused("kind,batch,wall_ms\nmixed,4x500,7\n");
  refused("kind,batch,wall_ms\ndecode,four,7\n");
  refused("kind,batch,wall_ms\ndecode,4x500,-7\n");
  refused("kind,batch,wall_ms\ndecode,4x500,nan\n");
  refused("kind,batch\ndecode,4x500\n");
}

TEST(CalibrateHost, SaysWhatIsMissingBesideSteps) {
  const ScratchFolder folder;
  CalibrateHostRequest request = request_for(kStepsFile, folder);
  request.gpu.clear();
  EXPECT_THROW(calibrated(request), InvalidInput);
  request = request_for(kStepsFile, folder);
  request.model.clear();
  EXPECT_THROW(calibrated(request), InvalidInput);
  request.steps.clear();
  EXPECT_THROW(calibrated(request), InvalidInput);
}

TEST(CalibrateHost, StartsFromAnotherEnginesTimesWhereItsOwnWereNeverMeasured) {
  const ScratchFolder folder;
  CalibrateHostRequest request = request_for(kStepsFile, folder);
  request.engine = "trtllm";
  request.engine_version = "1.2.0";
  const CalibrateHostResult result = calibrated(request);
  EXPECT_EQ(result.base, "xeon_16_cores (times of vllm)");
  const HostProfile read = load_host_profile((folder.path() / "host.json").string(), FileScope::machine());
  EXPECT_EQ(read.engine("trtllm").engine, "trtllm");
  EXPECT_NE(read.source.find("times of vllm"), std::string::npos);
}

TEST(CalibrateHost, RefusesABaseThatHoldsNoTimesOfSingleSteps) {
  const ScratchFolder folder;
  CalibrateHostRequest request = request_for(kStepsFile, folder);
  request.base =
      folder.write("gaps.json", R"({"schema": "warploom_host_profile", "version": 1, "name": "gaps",
      "engines": [{"engine": "vllm", "gap_us": 50}]})");
  EXPECT_THROW(calibrated(request), InvalidInput);
}

TEST(MeasuredSteps, AreReadAsBatches) {
  const ScratchFolder folder;
  const auto path = folder.write(
      "steps.csv",
      "kind,batch,wall_ms,other\nprefill,2x300,9,1\ndecode,4x500,7.5,1\nmixed,16x500+512,20,1\n");
  const std::vector<MeasuredStep> steps = read_measured_steps(path);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(StepShape::tokens_of(steps[0].shape.prefill), 600);
  EXPECT_EQ(steps[1].shape.tokens(), 4);
  EXPECT_EQ(steps[1].shape.decode[0].context_tokens, 500);
  EXPECT_EQ(steps[2].shape.tokens(), 16 + 512);
  EXPECT_EQ(steps[2].shape.requests(), 17);
  EXPECT_EQ(steps[2].wall, milliseconds(20));
}

}  // namespace
}  // namespace warploom
