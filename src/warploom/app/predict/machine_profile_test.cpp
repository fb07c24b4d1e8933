#include "warploom/app/predict/machine_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

MachineProfile slower() {
  return {
      .name = "mine",
      .source = "a test",
      .measured_at = "2026-11-26T12:30:00Z",
      .host_level = 1.4,
      .pace_spread = 0.3,
      .gpu = "h200_sxm",
      .engine = "vllm",
      .engine_version = "0.24.0",
      .base = "xeon_16_cores",
      .host = {{HostGroup::Step, 1.5, 1.4, 1.7}},
      .kernels = {{KernelGroup::Streaming, 1.1, 1.08, 1.12, 0.02}, {KernelGroup::Computing, 0.9, 0.9, 0.9}}};
}

LatencyEstimate estimate_of(Bound bound) {
  return {.p10 = microseconds(80),
          .p50 = microseconds(100),
          .p90 = microseconds(125),
          .physical_bound = microseconds(50),
          .bound = bound};
}

std::string refusal_of(const Json& document) {
  try {
    machine_profile_from_json(document, "m.json");
  } catch (const InvalidInput& problem) {
    return problem.what();
  }
  return {};
}

TEST(MachineProfile, IsReadAsItWasWritten) {
  const Json document = machine_profile_to_json(slower());
  EXPECT_EQ(machine_profile_to_json(machine_profile_from_json(document, "m.json")), document);
}

TEST(MachineProfile, RefusesWhatIsNotWhole) {
  const Json whole = machine_profile_to_json(slower());
  Json broken = whole;
  broken["host"][0]["low"] = 1.6;
  EXPECT_NE(refusal_of(broken).find("m.json: host[0]: low, factor and high are 1.6, 1.5, 1.7"),
            std::string::npos);
  broken = whole;
  broken["kernels"].push_back(whole["kernels"][0]);
  EXPECT_NE(refusal_of(broken).find("'kernels' has streaming twice"), std::string::npos);
  broken = whole;
  broken["host"][0]["factor"] = 0;
  EXPECT_NE(refusal_of(broken), "");
  broken = whole;
  broken.erase("base");
  EXPECT_NE(refusal_of(broken).find("'base' goes with 'host'"), std::string::npos);
  broken = whole;
  broken["schema"] = "warploom_host_profile";
  EXPECT_NE(refusal_of(broken), "");
  broken = whole;
}

TEST(MachineProfile, ReadsTheFirstSchemaAndRefusesANewerOne) {
  Json document = machine_profile_to_json(slower());
  EXPECT_EQ(document["version"], 6);
  document["version"] = 1;
  document.erase("measured_at");
  document.erase("host_level");
  document.erase("pace_spread");
  const MachineProfile first = machine_profile_from_json(document, "m.json");
  EXPECT_EQ(first.measured_at, "");
  EXPECT_EQ(first.host_level, 0);
  EXPECT_EQ(first.pace_spread, 0);
  EXPECT_EQ(first.host_factors({}), slower().host_factors({}));
  document["version"] = 7;
  try {
    machine_profile_from_json(document, "m.json");
    FAIL() << "expected a refusal";
  } catch (const Unsupported& problem) {
    EXPECT_STREQ(problem.what(), "m.json: 'version' is 7, this program reads up to 6");
  }
}

TEST(MachineProfile, TheHostVariesByWhatIsKeptOfItsOwnSpread) {
  const EngineHost base{.pace_spread = 0.2, .steady = 0.1};
  MachineProfile machine = slower();
  EXPECT_DOUBLE_EQ(machine.pace_spread_beside(base), 0.3);
  machine.host.front().kept = 0.5;
  EXPECT_DOUBLE_EQ(machine.pace_spread_beside(base), 0.25);
  EXPECT_DOUBLE_EQ(machine.pace_spread_beside(base, -1), 0.2);
  machine.pace_spread = 0;
  EXPECT_EQ(machine.pace_spread_beside(base), 0) << "was not probed";
}

TEST(MachineProfile, RefusesALevelFasterThanTheFastest) {
  Json document = machine_profile_to_json(slower());
  document["host_level"] = 0.9;
  EXPECT_NE(refusal_of(document).find("'host_level' is 0.9, expected 0 or at least 1"), std::string::npos);
}

TEST(MachineProfile, RefusesAnotherGpuEngineOrVersion) {
  const MachineProfile profile = slower();
  EXPECT_NO_THROW(check_machine(profile, "h200_sxm", "vllm", "0.24.0"));
  EXPECT_NO_THROW(check_machine(profile, "h200_sxm", "", ""));
  EXPECT_THROW(check_machine(profile, "h100_sxm", "vllm", "0.24.0"), InvalidInput);
  EXPECT_THROW(check_machine(profile, "h200_sxm", "sglang", ""), InvalidInput);
  EXPECT_THROW(check_machine(profile, "h200_sxm", "vllm", "0.33.0"), InvalidInput);
}

TEST(MachineProfile, ScalesAKernelByWhatLimitsIt) {
  const MachineProfile profile = slower();
  const Operator other = AttentionDecode{};
  EXPECT_NEAR(to_microseconds(on_machine(estimate_of(Bound::Dram), other, profile).p50), 110, 1e-9);
  EXPECT_NEAR(to_microseconds(on_machine(estimate_of(Bound::Tensor), other, profile).p50), 90, 1e-9);
  EXPECT_NEAR(to_microseconds(on_machine(estimate_of(Bound::Launch), other, profile).p90), 125, 1e-9);
  EXPECT_NEAR(to_microseconds(on_machine(estimate_of(Bound::Network), other, profile).p50), 100, 1e-9);
}

TEST(MachineProfile, ExpertsHaveAFactorOfTheirOwnWhereOneIsKnown) {
  MachineProfile profile = slower();
  const Operator experts = FusedMoe{};
  const LatencyEstimate as_products = on_machine(estimate_of(Bound::Dram), experts, profile);
  EXPECT_NEAR(to_microseconds(as_products.p50), 110, 1e-9);
  profile.kernels[0].experts = 1.05;
  const LatencyEstimate own = on_machine(estimate_of(Bound::Dram), experts, profile);
  EXPECT_NEAR(to_microseconds(own.p50), 105, 1e-9);
  EXPECT_NEAR(own.p90 / own.p50, as_products.p90 / as_products.p50, 1e-9) << "as sure";
  EXPECT_NEAR(to_microseconds(on_machine(estimate_of(Bound::Dram), AttentionDecode{}, profile).p50), 110,
              1e-9);
  EXPECT_EQ(machine_profile_from_json(machine_profile_to_json(profile), "m.json").kernels[0].experts, 1.05);
}

TEST(MachineProfile, ProductsAreAsWideAsTheyWereSeenToScatter) {
  const MachineProfile profile = slower();
  const auto width_of = [&](const Operator& op) {
    const LatencyEstimate estimate = on_machine(estimate_of(Bound::Dram), op, profile);
    return std::log(estimate.p90 / estimate.p50);
  };
  EXPECT_NEAR(width_of(Gemm{}), std::hypot(0.02, std::log(1.12 / 1.1)), 1e-9);
  EXPECT_NEAR(width_of(Elementwise{}), std::hypot(std::log(1.25), std::log(1.12 / 1.1)), 1e-9);
}

TEST(MachineProfile, OfAVirtualHostsFactorAllMayBeThereOrNothing) {
  MachineProfile machine = slower();
  machine.host.front().kept = 0.5;
  const auto step_at = [&](int side) { return machine.host_factors({}, side)[std::size_t(HostGroup::Step)]; };
  EXPECT_DOUBLE_EQ(step_at(0), std::sqrt(1.5));
  EXPECT_DOUBLE_EQ(step_at(-1), 1);
  EXPECT_DOUBLE_EQ(step_at(1), 1.7);
  machine.host.front() = {HostGroup::Step, 0.5, 0.4, 0.6, 0.5};
  EXPECT_DOUBLE_EQ(step_at(-1), 0.4);
  EXPECT_DOUBLE_EQ(step_at(1), 1);
  machine.host.front().kept = 1;
  EXPECT_DOUBLE_EQ(step_at(1), 0.6);
}

// A mixed checkpoint: attention and shared experts in bf16, routed ones in block fp8 behind a dense layer.
TEST(MachineProfile, NamesEverySchemeOfAModelsProducts) {
  ModelArchitecture model = load_model("DeepSeek-V3");
  ASSERT_EQ(scheme_label(model), "fp8_block");
  EXPECT_EQ(kind_label(model), kMixtureKind);
  EXPECT_EQ(kind_label(load_model("Llama-3.1-8B")), kDenseKind);
  for (LayerGroup& group : model.layers)
    group.schemes.attention_input = group.schemes.attention_output = MatmulScheme::Bf16;
  EXPECT_EQ(scheme_label(model), "bf16+fp8_block");
  for (LayerGroup& group : model.layers) group.schemes.shared_experts = MatmulScheme::NvFp4;
  EXPECT_EQ(scheme_label(model), "bf16+fp8_block+nvfp4");
  for (LayerGroup& group : model.layers) group.schemes.attention_input = MatmulScheme::Int4WeightOnly;
  EXPECT_EQ(scheme_label(model), "bf16+fp8_block+int4_wo+nvfp4");
  MachineProfile profile = slower();
  EXPECT_TRUE(has_scheme(profile, MatmulScheme::Bf16)) << "not recorded";
  profile.scheme = "fp8_block+nvfp4";
  EXPECT_TRUE(has_scheme(profile, MatmulScheme::Fp8Block));
  EXPECT_TRUE(has_scheme(profile, MatmulScheme::NvFp4));
  EXPECT_FALSE(has_scheme(profile, MatmulScheme::Fp8));
  EXPECT_FALSE(has_scheme(profile, MatmulScheme::Bf16));
}

TEST(MachineProfile, WhatWorksOnRowsHasAFactorOfItsOwn) {
  MachineProfile profile = slower();
  const Operator rows = Elementwise{};
  const auto time_of = [&] {
    return to_microseconds(on_machine(estimate_of(Bound::Dram), rows, profile).p50);
  };
  EXPECT_NEAR(time_of(), 110, 1e-9) << "a file of before: as memory is";
  profile.kernels.push_back({KernelGroup::Rows, 3, 2.8, 3.2});
  EXPECT_NEAR(time_of(), 300, 1e-9);
  EXPECT_NEAR(to_microseconds(on_machine(estimate_of(Bound::Launch), rows, profile).p50), 100, 1e-9);
  EXPECT_NEAR(to_microseconds(on_machine(estimate_of(Bound::Dram), Gemm{}, profile).p50), 110, 1e-9);
}

TEST(MachineProfile, WhatQuantisesAProductsRowsIsScaledAsRows) {
  MachineProfile profile = slower();
  const auto time_of = [&](Seconds on_rows) {
    return to_microseconds(on_machine(estimate_of(Bound::Dram), Gemm{}, profile, on_rows).p50);
  };
  const double whole = time_of(Seconds(0.0));
  EXPECT_NEAR(time_of(microseconds(20)), whole, 1e-9) << "a file of before: as the product is";
  profile.kernels.push_back({KernelGroup::Rows, 3, 2.8, 3.2});
  EXPECT_NEAR(time_of(microseconds(20)), 80 * 1.1 + 20 * 3, 1e-9);
  EXPECT_NEAR(time_of(microseconds(300)), 300, 1e-9) << "no more than all of it";
}

TEST(MachineProfile, NeverGoesBelowThePhysicalBound) {
  MachineProfile profile = slower();
  profile.kernels[0] = {KernelGroup::Streaming, 0.4, 0.3, 0.5};
  const LatencyEstimate estimate = on_machine(estimate_of(Bound::Dram), Gemm{}, profile);
  EXPECT_GE(estimate.p10, estimate.physical_bound);
  EXPECT_LE(estimate.p10, estimate.p50);
  EXPECT_LE(estimate.p50, estimate.p90);
}

TEST(MachineProfile, APredictionTakesItsFile) {
  const ScratchFolder folder;
  PredictRequest request;
  request.op = Gemm{.m = 16, .n = 28672, .k = 4096};
  request.gpu = "H200";
  const Seconds before = predict_operator(request).estimate.p50;
  request.machine = folder.write("m.json", machine_profile_to_json(slower()).dump()).string();
  EXPECT_NEAR(predict_operator(request).estimate.p50 / before, 1.1, 1e-9);
  request.op = Collective{.size = Bytes(4e6), .ranks = 4};
  EXPECT_THROW(predict_operator(request), InvalidInput);  // the profile says nothing of links
  request.op = Gemm{.m = 16, .n = 28672, .k = 4096};
  request.gpu = "H100-SXM";
  EXPECT_THROW(predict_operator(request), InvalidInput);
  request.machine = "absent.json";
  EXPECT_THROW(predict_operator(request), IoError);
}

}  // namespace
}  // namespace warploom
