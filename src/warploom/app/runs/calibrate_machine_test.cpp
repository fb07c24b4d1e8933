#include "warploom/app/runs/calibrate_machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/onboarding_fit.h"
#include "warploom/app/runs/machine_fit.h"
#include "warploom/app/runs/probe_file.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

const std::string kSource = WARPLOOM_SOURCE_DIR;
const std::string kSteps = kSource + "/tests/fixtures/engine/vllm_0_24_h200/steps/llama8b_steps.csv";

Json run_json() {
  return {{"engine", "vllm"},         {"model", "config.json"},          {"gpu", "H200"},
          {"vllm_version", "0.24.0"}, {"engine_kwargs", Json::object()}, {"num_gpu_blocks", 20000}};
}

// As `python -m warploom.onboard` fills it.
std::filesystem::path onboarded(const ScratchFolder& folder, const Json& run, const std::string& steps) {
  std::filesystem::path path = folder.path() / "onboarded";
  std::filesystem::create_directories(path);
  const Json record = read_json_file(kSource + "/data/models/llama-3.1-8b.json");
  write_file_atomically(path / "config.json", record["config"].dump());
  write_file_atomically(path / "run.json", run.dump());
  write_file_atomically(path / "onboard_steps.csv", steps);
  return path;
}

Json time_json(double us) {
  return {{"median_us", us}, {"mean_us", us}, {"p10_us", us * 0.98}, {"p90_us", us * 1.05}};
}

Json probe_json() {
  Json measured = {{"python.scheduling", time_json(20)},  {"python.token_lists", time_json(30)},
                   {"python.module_calls", time_json(1)}, {"engine.inputs", time_json(60)},
                   {"engine.sampling", time_json(40)},    {"engine.piece", time_json(50)},
                   {"engine.layer", time_json(300)}};
  for (const auto& [m, us] : {std::pair{16, 60.0}, {64, 62.0}, {1024, 400.0}, {4096, 1500.0}}) {
    Json product = time_json(us);
    product["size"] = {{"rows", m}, {"columns", 28672}, {"depth", 4096}};
    measured["product.bf16_" + std::to_string(m)] = product;
  }
  return {{"schema", "warploom_probe"},
          {"version", 1},
          {"machine", {{"gpus", {{{"name", "NVIDIA H200"}}}}}},
          {"noise", {{"reference.host", 0.05}, {"reference.gpu", 0.01}}},
          {"measured", measured}};
}

// xeon_16_cores as if its machine had been probed, twice as fast.
std::string probed_base(const ScratchFolder& folder) {
  Json base = read_json_file(kSource + "/data/hosts/xeon_16_cores.json");
  const Json probe = probe_json();
  base["probe"] = Json::array();
  for (const auto& [name, time] : probe["measured"].items())
    base["probe"].push_back({{"work", name}, {"us", time["median_us"].get<double>() / 2}});
  return folder.write("base.json", base.dump()).string();
}

CalibrateMachineResult calibrated(const CalibrateMachineRequest& request) {
  static const std::shared_ptr<const LatencyModel> model = open_latency_model("");
  return calibrate_machine(request, model);
}

CalibrateMachineRequest request_in(const ScratchFolder& folder) {
  CalibrateMachineRequest request;
  request.output = folder.path() / "machine.json";
  return request;
}

TEST(CalibrateMachine, LessensTheErrorOfAnEnginesStepsThatTheFitDidNotSee) {
  const ScratchFolder folder;
  CalibrateMachineRequest request = request_in(folder);
  request.onboarded = onboarded(folder, run_json(), read_file(kSteps));
  const CalibrateMachineResult result = calibrated(request);
  ASSERT_TRUE(result.walls && result.walls->unseen && result.kernels);
  EXPECT_EQ(result.walls->measured, 42U);
  EXPECT_LT(result.walls->unseen->median, result.walls->before.median);
  EXPECT_LT(result.walls->unseen->median, 0.08);
  EXPECT_LT(result.kernels->after.median, 0.03);
  const MachineProfile read = load_machine_profile(request.output.string(), FileScope::machine());
  EXPECT_EQ(machine_profile_to_json(read), machine_profile_to_json(result.profile));
  EXPECT_EQ(read.engine, "vllm");
  EXPECT_EQ(read.engine_version, "0.24.0");
  for (const HostScale& scale : read.host) EXPECT_LE(scale.low, scale.high);
}

// vLLM 0.33.0 on an H100, as `python -m warploom.onboard` wrote it.
TEST(CalibrateMachine, TakesTheRecordOfARealOnboarding) {
  const ScratchFolder folder;
  CalibrateMachineRequest request = request_in(folder);
  request.onboarded = kSource + "/tests/fixtures/engine/vllm_0_33_h100_b/onboarded";
  const CalibrateMachineResult result = calibrated(request);
  ASSERT_TRUE(result.walls && result.walls->unseen && result.kernels && result.kernels->unseen);
  EXPECT_EQ(result.walls->measured, 29U);
  EXPECT_LT(result.kernels->unseen->median, 0.02);
  EXPECT_LT(result.walls->unseen->median, 0.06);
  EXPECT_GT(result.walls->before.median, 0.15);
  EXPECT_EQ(result.profile.engine_version, "0.33.0");
}

// Others come and go on the cores of a virtual machine, between the onboarding and the runs.
TEST(CalibrateMachine, KeepsHalfOfAVirtualHostsFactor) {
  const ScratchFolder folder;
  const auto kept_of = [&](const Json& machine) {
    Json run = run_json();
    run["machine"] = machine;
    CalibrateMachineRequest request = request_in(folder);
    request.onboarded = onboarded(folder, run, read_file(kSteps));
    const MachineProfile profile = calibrated(request).profile;
    for (const HostScale& scale : profile.host) EXPECT_EQ(scale.kept, profile.host.front().kept);
    return profile.host.front().kept;
  };
  EXPECT_EQ(kept_of({{"virtual", true}}), 0.5);
  EXPECT_EQ(kept_of({{"virtual", false}}), 1);
  EXPECT_EQ(kept_of(Json::object()), 0.5) << "older records do not say";
  for (const Json& wrong : {Json("text"), Json(1), Json::array(), Json{{"virtual", "yes"}}})
    EXPECT_THROW(kept_of(wrong), InvalidInput) << wrong;
}

// A checkpoint in bf16 that the engine quantises: its model is the config of the folder, wherever that is.
TEST(CalibrateMachine, TakesAModelThatTheEngineQuantised) {
  const ScratchFolder folder;
  Json run = run_json();
  run["gpu"] = "H100-SXM";
  run["engine_kwargs"]["quantization"] = "fp8";
  CalibrateMachineRequest request = request_in(folder);
  request.onboarded = onboarded(
      folder, run, read_file(kSource + "/tests/fixtures/engine/vllm_0_24_h100/steps/llama8bfp8_steps.csv"));
  const CalibrateMachineResult result = calibrated(request);
  ASSERT_TRUE(result.kernels);
  EXPECT_LT(result.kernels->after.median, 0.03);
}

TEST(CalibrateMachine, AStepIsPricedOnTheMachine) {
  const ScratchFolder folder;
  CalibrateMachineRequest request = request_in(folder);
  request.onboarded = onboarded(folder, run_json(), read_file(kSteps));
  calibrated(request);
  StepRequest step;
  step.setup.model = "Llama-3.1-8B";
  step.setup.gpu = "H200";
  step.setup.version = "0.24.0";
  step.prefill = "1x600";
  step.setup.host.machine = request.output.string();
  const auto on = price_step(step);
  EXPECT_EQ(on.host_profile, "machine (xeon_16_cores)");
  EXPECT_LE(on.host_least, on.host);
  EXPECT_LE(on.host, on.host_most);
  EXPECT_LT(on.host_least, on.host_most);
  // An onboarded engine's own model has all of the factor, an alike one its share.
  const auto priced = [&](const std::string& model, bool measured) {
    StepRequest alone = step;
    alone.prefill = "1x4096";
    alone.setup.model = model;
    if (!measured) alone.setup.host.machine.clear();
    return price_step(alone).gpu_p50;
  };
  const double own = std::log(priced("Llama-3.1-8B", true) / priced("Llama-3.1-8B", false));
  const double other = std::log(priced("Qwen3-14B", true) / priced("Qwen3-14B", false));
  EXPECT_GT(own, 0.015);
  EXPECT_NEAR(other, own * shipped_onboarding_fit().carried[std::size_t(Kinship::Alike)].share, 0.002);
  step.setup.gpu = "H100-SXM";
  EXPECT_THROW(price_step(step), InvalidInput);
  step.setup.gpu = "H200";
  step.setup.version = "0.14.0";
  EXPECT_THROW(price_step(step), InvalidInput);
  step.setup.version = "0.24.0";
  step.setup.host.profile = (folder.path() / "another.json").string();
  EXPECT_THROW(price_step(step), InvalidInput);
}

TEST(CalibrateMachine, AProbeIsComparedWithThatOfTheBase) {
  const ScratchFolder folder;
  CalibrateMachineRequest request = request_in(folder);
  request.base = probed_base(folder);
  request.probe = folder.write("probe.json", probe_json().dump());
  const CalibrateMachineResult result = calibrated(request);
  ASSERT_EQ(result.profile.host.size(), kHostGroups);
  for (const HostScale& scale : result.profile.host) {
    EXPECT_NEAR(scale.factor, 2, 1e-9) << name_of(scale.group);
    EXPECT_NEAR(scale.low, 2 * 0.98, 1e-9);
    EXPECT_NEAR(scale.high, 2 * 1.05, 1e-9);
  }
  EXPECT_EQ(result.profile.gpu, GpuCatalog().load_gpu("H200", {}).name);
  ASSERT_TRUE(result.products.has_value());
  EXPECT_EQ(result.products->measured, 4U);
}

TEST(CalibrateMachine, RecordsWhenAndHowDisturbedTheHostWas) {
  const ScratchFolder folder;
  CalibrateMachineRequest request = request_in(folder);
  request.base = probed_base(folder);
  Json probe = probe_json();
  request.probe = folder.write("probe.json", probe.dump());
  EXPECT_EQ(calibrated(request).profile.host_level, 0) << "no loop that is always the same";
  probe["measured_at"] = "2026-11-26T12:30:00Z";
  probe["measured"]["reference.host"] = {{"median_us", 50}, {"mean_us", 45}, {"p10_us", 30}, {"p90_us", 60}};
  request.probe = folder.write("probe.json", probe.dump());
  EXPECT_NEAR(calibrated(request).profile.host_level, 1.5, 1e-9);
  const MachineProfile written = load_machine_profile(request.output.string(), FileScope::machine());
  EXPECT_EQ(written.measured_at, "2026-11-26T12:30:00Z");
  EXPECT_NEAR(written.host_level, 1.5, 1e-9);
  EXPECT_NEAR(written.pace_spread, std::log(2) / (2 * 1.2815515655446004), 1e-6) << "p90 is twice p10";
  probe["measured_at"] = 12;
  request.probe = folder.write("probe.json", probe.dump());
  EXPECT_THROW(calibrated(request), InvalidInput);
}

TEST(CalibrateMachine, AProbeWithoutAGpuScalesTheHostAlone) {
  const ScratchFolder folder;
  Json probe = probe_json();
  probe["machine"]["gpus"] = Json::array();
  for (const char* name : {"engine.inputs", "engine.sampling", "engine.piece", "engine.layer"})
    probe["measured"].erase(name);
  probe["measured"]["python.numpy_inputs"] = time_json(10);
  CalibrateMachineRequest request = request_in(folder);
  Json base = read_json_file(probed_base(folder));
  base["probe"].push_back({{"work", "python.numpy_inputs"}, {"us", 5.0}});
  request.base = folder.write("base2.json", base.dump()).string();
  request.probe = folder.write("probe.json", probe.dump());
  const CalibrateMachineResult result = calibrated(request);
  EXPECT_TRUE(result.profile.kernels.empty());
  EXPECT_TRUE(result.profile.gpu.empty());
  EXPECT_NEAR(result.profile.host_factors({})[std::size_t(HostGroup::Kernels)], 2, 1e-9);
}

TEST(CalibrateMachine, AHostThatVariesByItselfIsTakenByItsMeanWithAWideInterval) {
  const ScratchFolder folder;
  CalibrateMachineRequest request = request_in(folder);
  Json probe = probe_json();
  probe["noise"]["reference.host"] = 0.4;
  probe["measured"]["engine.layer"] = {
      {"median_us", 300}, {"mean_us", 400}, {"p10_us", 290}, {"p90_us", 600}};
  request.base = probed_base(folder);  // 150 us for a layer
  request.files = FileScope::machine();
  request.probe = folder.write("probe.json", probe.dump());
  EXPECT_THROW(calibrated(request), InvalidInput) << "it does not say that it was alone";
  probe["processors"] = {{"others", 2.0}};
  request.probe = folder.write("probe.json", probe.dump());
  EXPECT_THROW(calibrated(request), InvalidInput) << "other work ran";
  probe["processors"] = {{"others", 0.1}};
  request.probe = folder.write("probe.json", probe.dump());
  const HostScale scale = calibrated(request).profile.host[std::size_t(HostGroup::Kernels)];
  EXPECT_NEAR(scale.factor, 400.0 / 150, 1e-9);
  EXPECT_NEAR(scale.low, 290.0 / 150, 1e-9);
  EXPECT_NEAR(scale.high, 600.0 / 150, 1e-9);
  probe["machine"]["host"]["processor"]["virtual"] = true;
  request.probe = folder.write("probe.json", probe.dump());
  const HostScale halved = calibrated(request).profile.host[std::size_t(HostGroup::Kernels)];
  EXPECT_EQ(halved.kept, 0.5) << "others come and go on its cores";
  const MachineProfile profile = calibrated(request).profile;
  const auto factor_at = [&](const EngineHost& host, int side) {
    return profile.host_factors(host, side)[std::size_t(HostGroup::Kernels)];
  };
  EXPECT_NEAR(factor_at({}, 0), std::sqrt(400.0 / 150), 1e-9);
  EXPECT_NEAR(factor_at({}, -1), 1, 1e-9) << "nothing of it may be there";
  EXPECT_NEAR(factor_at({}, 1), 600.0 / 150, 1e-9);
  EngineHost slowed;  // measured when the base's machine was twice as slow as when it was probed
  slowed.launches_level = 2;
  EXPECT_NEAR(factor_at(slowed, 0), std::sqrt(200.0 / 150), 1e-9);
  EXPECT_NEAR(factor_at(slowed, -1), 145.0 / 150, 1e-9);
  EXPECT_NEAR(factor_at(slowed, 1), 300.0 / 150, 1e-9);
  EXPECT_EQ(profile.host_factors(slowed)[std::size_t(HostGroup::Step)],
            profile.host_factors({})[std::size_t(HostGroup::Step)]);
  probe["machine"]["host"]["processor"]["virtual"] = false;
  probe["measured"]["engine.layer"]["mean_us"] = 5000;  // by a few stalls
  request.probe = folder.write("probe.json", probe.dump());
  EXPECT_NEAR(calibrated(request).profile.host[std::size_t(HostGroup::Kernels)].factor, 4, 1e-9);
  probe["noise"]["reference.gpu"] = 0.4;
  request.probe = folder.write("probe.json", probe.dump());
  EXPECT_THROW(calibrated(request), InvalidInput) << "the GPU has no such excuse";
}

// Kernels on rows that were timed one by one bear on the factor of rows.
TEST(CalibrateMachine, KernelsOnRowsMoveTheirFactor) {
  const ScratchFolder folder;
  CalibrateMachineRequest request = request_in(folder);
  request.onboarded = onboarded(folder, run_json(), read_file(kSteps));
  const auto factor_of = [&](KernelGroup group) {
    return calibrated(request).profile.scale_of(group)->factor;
  };
  const double rows = factor_of(KernelGroup::Rows);
  const auto rows_csv = [&](std::string_view us, std::string_view op) {
    std::string text = "gpu,framework,version,kernel,latency_us,n_samples,rows\n";
    for (int i = 0; i < 40; ++i) text += fmt::format("H200,vllm,0.24.0,norm,{},5,\"{}\"\n", us, op);
    write_file_atomically(request.onboarded / "rows.csv", text);
  };
  constexpr std::string_view kNorm =
      "{\"\"family\"\":\"\"rmsnorm\"\",\"\"type\"\":\"\"bf16\"\",\"\"tokens\"\":8192,"
      "\"\"width\"\":4096,\"\"residual\"\":true}";
  rows_csv("500", kNorm);  // five times what it takes
  EXPECT_GT(factor_of(KernelGroup::Rows), 1.3 * rows);
  for (const auto& [us, op] : {std::pair<std::string_view, std::string_view>{"0", kNorm},
                               {"500", "{\"\"family\"\":\"\"gemm\"\",\"\"m\"\":1}"},
                               {"500", "[]"},
                               {"500", "{\"\"family\"\":\"\"rope\"\",\"\"quantised\"\":1}"}}) {
    rows_csv(us, op);
    EXPECT_THROW(calibrated(request), InvalidInput) << op;
  }
}

TEST(CalibrateMachine, RefusesWhatItCannotUse) {
  const ScratchFolder folder;
  CalibrateMachineRequest request = request_in(folder);
  EXPECT_THROW(calibrated(request), InvalidInput);  // neither
  const auto refused = [&](const Json& probe) {
    request.probe = folder.write("probe.json", probe.dump());
    EXPECT_THROW(calibrated(request), InvalidInput) << probe.dump().substr(0, 200);
    EXPECT_FALSE(std::filesystem::exists(request.output));
  };
  Json broken = probe_json();
  broken["noise"]["reference.host"] = 0.4;
  refused(broken);
  broken = probe_json();
  broken["measured"]["engine.layer"]["median_us"] = 1e9;  // above its 90th percentile
  refused(broken);
  broken = probe_json();
  broken["measured"]["product.bf16_16"].erase("size");
  refused(broken);
  broken = probe_json();
  broken.erase("machine");
  refused(broken);
  broken = probe_json();
  broken["machine"]["gpus"] = Json::array();  // and the built-in base was never probed
  broken["measured"] = {{"python.scheduling", time_json(20)}};
  request.base = "public_fleet";
  refused(broken);
  request = request_in(folder);
  request.onboarded = onboarded(folder, run_json(), "kind,batch,wall_ms\ndecode,4x500,7\n");
  EXPECT_THROW(calibrated(request), InvalidInput);  // no sums of kernels
  Json another = probe_json();
  another["machine"]["gpus"][0]["name"] = "NVIDIA H100 80GB HBM3";
  request.probe = folder.write("probe.json", another.dump());
  request.onboarded = onboarded(folder, run_json(), read_file(kSteps));
  EXPECT_THROW(calibrated(request), InvalidInput);  // two GPUs
}

TEST(MachineFit, FindsTheFactorsThatSumsWereMadeWith) {
  const KernelFactors made{0.93, 1.06, 1};
  std::vector<MeasuredSum> sums;
  for (int i = 1; i <= 12; ++i) {
    MeasuredSum sum{.predicted = {milliseconds(13 - i), milliseconds(i)}, .other = milliseconds(0.5)};
    sum.measured = sum.at(made);
    sums.push_back(sum);
  }
  const KernelFactors found = fit_kernels(sums);
  // Drawn a little to one by what cards of one kind differ by.
  EXPECT_NEAR(found[0], made[0], 0.01);
  EXPECT_NEAR(found[1], made[1], 0.01);
  EXPECT_EQ(found[2], 1) << "nothing bears on it";
  sums[3].measured *= 3;  // an outlier
  EXPECT_NEAR(fit_kernels(sums)[1], made[1], 0.03);
  EXPECT_EQ(fit_kernels({}), (KernelFactors{1, 1, 1}));
}

TEST(MachineFit, WhatWorksOnRowsMayBeFarFromOne) {
  const KernelFactors made{1, 1.06, 3};
  std::vector<MeasuredSum> sums;
  for (int i = 1; i <= 12; ++i) {
    MeasuredSum sum{.predicted = {milliseconds(1), milliseconds(20 + i), milliseconds(i % 4 * 3)}};
    sum.measured = sum.at(made);
    sums.push_back(sum);
  }
  const KernelFactors found = fit_kernels(sums);
  EXPECT_NEAR(found[1], made[1], 0.01);
  EXPECT_NEAR(found[2], made[2], 0.03);
}

// Rows that follow their tokens otherwise than predicted (1.5 to 4 times) would be taken for slow products.
TEST(MachineFit, RowsThatWereMeasuredLeaveProductsAlone) {
  constexpr double kComputing = 1.04;
  std::vector<MeasuredSum> sums;
  for (int i = 1; i <= 12; ++i) {
    const double rows = 1.3 * i, grows = 1.5 + 0.2 * i;
    MeasuredSum sum{.predicted = {milliseconds(0), milliseconds(10 * i), milliseconds(rows)}};
    sum.measured = milliseconds(10 * i * kComputing + rows * grows);
    sum.measured_rows = milliseconds(rows * grows);
    sums.push_back(sum);
  }
  const KernelFactors found = fit_kernels(sums);
  EXPECT_NEAR(found[1], kComputing, 0.005);
  EXPECT_NEAR(found[2], 2.8, 0.5);
  for (MeasuredSum& sum : sums) sum.measured_rows.reset();
  EXPECT_GT(fit_kernels(sums)[1], kComputing + 0.02);
}

// Rows that are too few to be scaled are in what was measured of rows all the same.
TEST(MachineFit, RowsThatOnlyLaunchAreRowsToo) {
  constexpr double kStreaming = 1.05;
  std::vector<MeasuredSum> sums;
  for (int i = 1; i <= 12; ++i) {
    MeasuredSum sum{.predicted = {milliseconds(4), milliseconds(0), milliseconds(0.1 * i)},
                    .other = milliseconds(1.4),
                    .other_rows = milliseconds(1)};
    sum.measured_rows = milliseconds(1 + 0.2 * i);
    sum.measured = milliseconds(4 * kStreaming + 0.4) + *sum.measured_rows;
    sums.push_back(sum);
  }
  const KernelFactors found = fit_kernels(sums);
  EXPECT_NEAR(found[0], kStreaming, 0.005);
  EXPECT_NEAR(found[2], 2, 0.2);
}

}  // namespace
}  // namespace warploom
