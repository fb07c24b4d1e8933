#include "warploom/app/runs/calibrate_host_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/simulation.h"

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
  EXPECT_EQ(load_host_profile((folder.path() / "host.json").string(), FileScope::machine()).name, "host");
}

// A run in the recorder's files: simulated, with a host `factor` times as slow as the base, as no real engine
// was recorded.
CalibrateHostRequest simulated_run(const ScratchFolder& folder, double factor) {
  constexpr const char* kColumns =
      "request_id,arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s\n";
  CalibrateHostRequest request;
  request.predictor = "roofline";
  request.output = folder.path() / "host.json";
  request.runs = {folder.write("run.json", R"({"engine": "sglang", "engine_version": "0.5.14",
      "model": "Llama-3.1-8B", "gpu": "H200", "num_gpu_blocks": 400000, "engine_kwargs": {
      "max_num_seqs": 256, "max_num_batched_tokens": 16384, "chunked_prefill_size": 8192, "block_size": 1,
      "async_scheduling": false, "enable_prefix_caching": false}})")};
  std::string asked = kColumns;
  for (int i = 0; i < 40; ++i)
    asked += fmt::format("r{0},{1},{2},64,{1},{1},{1},{1}\n", i, 0.11 * i, 200 + 60 * (i % 9));
  ValidateServingRequest serving;
  serving.run = request.runs[0];
  serving.requests = folder.write("asked.csv", asked);
  OpenedRun run = open_run(serving, open_latency_model(request.predictor));
  const EngineHost base = scaled_base(load_host_profile(request.base), "sglang").host;
  run.deployment.pools[0].config.host =
      scaled_host(base, {factor, factor, factor, factor})
          .of(engine_named("sglang").launched_layers(run.setup.model, *run.setup.gpu));
  std::string rows = kColumns;
  const std::vector<RequestRecord> records = simulate(run.deployment, run.workload, {}).requests;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RequestRecord& one = records[i];
    rows += fmt::format("r{},{:.6f},{},{},{:.6f},{:.6f},{:.6f},{:.6f}\n", i, one.arrival.seconds().value(),
                        run.workload.requests[i].input_tokens, run.workload.requests[i].output_tokens,
                        one.taken_in.seconds().value(), one.scheduled.seconds().value(),
                        one.first_token.seconds().value(), one.last_token.seconds().value());
  }
  request.requests = {folder.write("requests.csv", rows)};
  return request;
}

TEST(CalibrateHostRuns, FindsHowSlowTheHostIs) {
  const ScratchFolder folder;
  const HostCalibration found = calibrate_host_to(simulated_run(folder, 1.6));
  EXPECT_EQ(found.host.engine, "sglang 0.5.14");
  EXPECT_EQ(found.host.base, "xeon_16_cores");
  ASSERT_EQ(found.runs.size(), 1u);
  EXPECT_LT(found.runs[0].before.tpot_mean, -0.1) << "the run is of a slower host";
  EXPECT_NEAR(found.runs[0].after.tpot_mean, 0, 0.05);
  EXPECT_NEAR(found.host.fit.factors[std::size_t(HostGroup::Step)], 1.6, 0.25);
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
