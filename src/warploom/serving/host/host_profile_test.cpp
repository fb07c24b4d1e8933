#include "warploom/serving/host/host_profile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

TEST(HostProfile, MakesAModelsLaunchesOfItsLayers) {
  const EngineHost host{.engine = "vllm",
                        .launch_graph = milliseconds(1),
                        .piece = milliseconds(0.1),
                        .latent_piece = milliseconds(0.2),
                        .layer = milliseconds(0.5),
                        .experts = milliseconds(2),
                        .fused_experts = milliseconds(1.5),
                        .latent = milliseconds(3),
                        .linear = milliseconds(4),
                        .gap = milliseconds(0.25)};
  const HostModel model = host.of({.all = 10, .experts = 5, .fused_experts = 2, .latent = 4, .linear = 1});
  EXPECT_NEAR(to_milliseconds(model.launch_graph), 1, 1e-9);
  EXPECT_NEAR(to_milliseconds(model.launch_pieces), 1 + 10 * 0.1 + 4 * 0.2, 1e-9);
  EXPECT_NEAR(to_milliseconds(model.launch_kernels), 1 + 10 * 0.5 + 5 * 2 + 2 * 1.5 + 4 * 3 + 1 * 4, 1e-9);
  EXPECT_NEAR(to_milliseconds(model.gap), 0.25, 1e-9);
}

TEST(HostProfile, StatesHowItsMachinesVaryWithinARunOrTakesTheDefaultOnes) {
  const HostPaces usual = paces_of(load_host_profile(std::string(kDefaultHostProfile)));
  EXPECT_EQ(to_milliseconds(usual.period), 190);
  EXPECT_EQ(usual.levels.size(), 10u);
  HostProfile mine{.name = "mine"};
  EXPECT_EQ(paces_of(mine).levels, usual.levels);
  mine.pace_period = milliseconds(50);
  mine.pace_levels = {-1, 1};
  EXPECT_EQ(paces_of(mine).levels, mine.pace_levels);
  EXPECT_EQ(paces_of(mine).period, mine.pace_period);
}

TEST(HostProfile, RefusesPacesThatAreHalfStatedOrOutOfOrder) {
  const auto read = [](const char* key, Json value) {
    Json document = host_profile_to_json(load_host_profile("xeon_16_cores"));
    document[key] = std::move(value);
    return host_profile_from_json(document, "mine.json");
  };
  EXPECT_NO_THROW(read("pace_levels", {-1, 0, 1}));
  EXPECT_THROW(read("pace_levels", {1, -1}), InvalidInput);
  EXPECT_THROW(read("pace_levels", Json::array()), InvalidInput);
  EXPECT_THROW(read("pace_period_ms", 0), InvalidInput);
  EXPECT_THROW(read("pace_period_ms", -1), InvalidInput);
}

TEST(HostProfile, StepsWithoutPromptsTakeBetweenNoneAndAllOfWhatPromptsWereFittedTo) {
  const EngineHost host{.engine = "sglang",
                        .launch_graph = milliseconds(1),
                        .layer = milliseconds(0.5),
                        .experts = milliseconds(3.6),
                        .decode_share = 0.25};
  const HostModel model = host.of({.all = 10, .experts = 10});
  const auto launch = [&](LaunchMode mode, int side) { return to_milliseconds(model.launch(mode, side)); };
  for (const int side : {-1, 0, 1}) EXPECT_NEAR(launch(LaunchMode::Kernels, side), 1 + 5 + 36, 1e-9);
  EXPECT_NEAR(launch(LaunchMode::DecodeKernels, -1), 1 + 5, 1e-9);
  EXPECT_NEAR(launch(LaunchMode::DecodeKernels, 0), 1 + 5 + 9, 1e-9);
  EXPECT_NEAR(launch(LaunchMode::DecodeKernels, 1), 1 + 5 + 36, 1e-9);
  const HostModel dense = host.of({.all = 10});
  for (const int side : {-1, 0, 1})
    EXPECT_EQ(dense.launch(LaunchMode::DecodeKernels, side), dense.launch(LaunchMode::Kernels, side));
}

TEST(HostProfile, MeasuredLaunchesAreTheSameInEveryStep) {
  const HostModel xeon = load_host_profile("xeon_16_cores").engine("vllm").of({.all = 48, .experts = 48});
  for (const int side : {-1, 0, 1})
    EXPECT_EQ(xeon.launch(LaunchMode::DecodeKernels, side), xeon.launch(LaunchMode::Kernels, side));
}

TEST(HostProfile, MakesWhatSeveralGpusAddOfTheirCollectives) {
  const EngineHost host{.engine = "vllm",
                        .layer = milliseconds(0.5),
                        .collective = milliseconds(0.1),
                        .gap_per_sequence = microseconds(1),
                        .ranks_gap_per_sequence = microseconds(7),
                        .layer_pause = microseconds(4),
                        .experts_pause = microseconds(-3),
                        .block_fp8_experts_pause = microseconds(-2)};
  const HostModel one = host.of({.all = 10, .experts = 2, .block_fp8_experts = 1}),
                  two = host.of({.all = 10, .collectives = 21});
  EXPECT_NEAR(to_microseconds(one.gap_per_sequence), 1, 1e-9);
  EXPECT_NEAR(to_microseconds(two.gap_per_sequence), 8, 1e-9);
  EXPECT_NEAR(to_milliseconds(two.launch_kernels - one.launch_kernels), 21 * 0.1, 1e-9);
  EXPECT_EQ(one.launch_pieces, two.launch_pieces) << "graphs hold their collectives";
  EXPECT_NEAR(to_microseconds(one.pause), 10 * 4 - 2 * 3 - 2, 1e-9);
}

TEST(HostProfile, TheDefaultHasEveryEngine) {
  const HostProfile fleet = load_host_profile(std::string(kDefaultHostProfile));
  for (const std::string& engine : engine_names()) EXPECT_EQ(fleet.engine(engine).engine, engine);
  for (const std::string& name : host_profile_names()) {
    const HostProfile profile = load_host_profile(name);
    EXPECT_EQ(profile.name, name);
    EXPECT_FALSE(profile.source.empty());
  }
}

TEST(HostProfile, ReturnsFromJson) {
  const HostProfile fleet = load_host_profile(std::string(kDefaultHostProfile));
  const HostProfile again = host_profile_from_json(host_profile_to_json(fleet), "test");
  EXPECT_EQ(host_profile_to_json(again), host_profile_to_json(fleet));
}

TEST(HostProfile, TheClientsWayIsTheDefaultProfilesWhereOneStatesNone) {
  const HostProfile fleet = load_host_profile("public_fleet");
  for (const EngineHost& host : fleet.engines) {
    EXPECT_TRUE(host.frontend && host.frontend_per_token && host.handshake) << host.engine;
    EXPECT_FALSE(host.frontend_source.empty()) << host.engine;
  }
  const ClientWay way = client_way_of(fleet, "trtllm");
  EXPECT_EQ(way.latency, milliseconds(12));
  EXPECT_EQ(way.per_token, microseconds(2));
  EXPECT_EQ(way.handshake, Seconds(0.0));
  HostProfile own = load_host_profile("xeon_16_cores");
  EXPECT_EQ(client_way_of(own, "vllm").latency, client_way_of(fleet, "vllm").latency);
  for (EngineHost& host : own.engines) host.frontend = milliseconds(1);
  EXPECT_EQ(client_way_of(own, "vllm").latency, milliseconds(1));
  EXPECT_EQ(client_way_of(own, "vllm").handshake, milliseconds(117));
}

TEST(HostProfile, ConstantsAreOfAVersionOnAndTheRestIsAsBefore) {
  const HostProfile profile = host_profile_from_json(
      Json::parse(R"({"schema": "warploom_host_profile", "version": 1, "name": "own", "source": "a test",
      "engines": [{"engine": "vllm", "layer_us": 600, "experts_us": 400},
                  {"engine": "sglang", "layer_us": 500},
                  {"engine": "vllm", "since": "0.29.0", "experts_us": 770, "block_fp8_experts_us": 400}]})"),
      "test");
  const EngineHost& before = profile.engine("vllm", "0.28.1");
  const EngineHost& after = profile.engine("vllm", "0.29.0");
  EXPECT_EQ(before.experts, microseconds(400));
  EXPECT_EQ(before.block_fp8_experts, Seconds(0.0));
  EXPECT_EQ(after.experts, microseconds(770));
  EXPECT_EQ(after.layer, microseconds(600));
  EXPECT_EQ(&profile.engine("vllm"), &after) << "the newest where no version is said";
  EXPECT_EQ(profile.engine("sglang", "0.1").layer, microseconds(500));
  EXPECT_THROW(profile.engine("trtllm", "1.0"), Unsupported);
  const HostProfile again = host_profile_from_json(host_profile_to_json(profile), "test");
  EXPECT_EQ(host_profile_to_json(again), host_profile_to_json(profile));
  Json older = host_profile_to_json(profile);
  older["engines"].push_back({{"engine", "vllm"}, {"since", "0.28.0"}});
  EXPECT_THROW(host_profile_from_json(older, "test"), InvalidInput) << "older than the entry before it";
}

TEST(HostProfile, AMachineOfAFleetIsSteadyOrUnsteady) {
  const EngineHost fleet{.pace_spread = 0.25, .steady = 0.19, .unsteady = 0.33};
  EXPECT_EQ(fleet.pace_spread_at(0), 0.25);
  EXPECT_EQ(fleet.pace_spread_at(-1), 0.19);
  EXPECT_EQ(fleet.pace_spread_at(1), 0.33);
  const EngineHost one{.pace_spread = 0.2};
  EXPECT_EQ(one.pace_spread_at(1), 0.2) << "one machine";
}

TEST(HostProfile, ExpertsOfBlockScaledFp8LaunchMore) {
  EngineHost host{.engine = "vllm"};
  host.layer = microseconds(600);
  host.experts = microseconds(770);
  host.block_fp8_experts = microseconds(400);
  const ModelArchitecture bf16 = load_model("qwen3-30b-a3b"), fp8 = load_model("qwen3-30b-a3b-fp8");
  const auto launch = [&](const ModelArchitecture& model, bool fused) {
    return host.of(launched_layers_of(model, fused)).launch_kernels;
  };
  EXPECT_NEAR(launch(bf16, false).value(), 48 * 1370e-6, 1e-9);
  EXPECT_NEAR(launch(fp8, false).value(), 48 * 1770e-6, 1e-9);
  EXPECT_NEAR(launch(fp8, true).value(), 48 * 600e-6, 1e-9) << "one kernel has none of it";
}

TEST(HostProfile, RefusesWhatItCannotUse) {
  EXPECT_THROW(load_host_profile("public_flet"), NotFound);
  EXPECT_THROW(load_host_profile("/nonexistent/host.json", FileScope::machine()), IoError);
  EXPECT_THROW(load_host_profile("/nonexistent/host.json"), NotFound);
  EXPECT_THROW(load_host_profile("xeon_16_cores").engine("trtllm"), Unsupported);
  Json document = host_profile_to_json(load_host_profile("xeon_16_cores"));
  document["version"] = 2;
  EXPECT_THROW(host_profile_from_json(document, "test"), Unsupported);
  document["version"] = 1;
  document["engines"][0]["layer_us"] = -1;
  EXPECT_THROW(host_profile_from_json(document, "test"), InvalidInput);
  document["engines"][0]["layer_us"] = 1;
  document["engines"].push_back(document["engines"][0]);
  EXPECT_THROW(host_profile_from_json(document, "test"), InvalidInput) << "an engine twice";
  document["engines"] = Json::array();
  EXPECT_THROW(host_profile_from_json(document, "test"), InvalidInput);
}

}  // namespace
}  // namespace warploom
