#include "warploom/serving/host/host_profile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
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

TEST(HostProfile, MakesWhatSeveralGpusAddOfTheirCollectives) {
  const EngineHost host{.engine = "vllm",
                        .layer = milliseconds(0.5),
                        .collective = milliseconds(0.1),
                        .gap_per_sequence = microseconds(1),
                        .ranks_gap_per_sequence = microseconds(7),
                        .layer_pause = microseconds(4),
                        .experts_pause = microseconds(3)};
  const HostModel one = host.of({.all = 10, .experts = 2}), two = host.of({.all = 10, .collectives = 21});
  EXPECT_NEAR(to_microseconds(one.gap_per_sequence), 1, 1e-9);
  EXPECT_NEAR(to_microseconds(two.gap_per_sequence), 8, 1e-9);
  EXPECT_NEAR(to_milliseconds(two.launch_kernels - one.launch_kernels), 21 * 0.1, 1e-9);
  EXPECT_EQ(one.launch_pieces, two.launch_pieces) << "graphs hold their collectives";
  EXPECT_NEAR(to_microseconds(one.pause), 10 * 4 + 2 * 3, 1e-9);
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
