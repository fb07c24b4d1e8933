// A request that names a manifest is the request without it.
#include "warploom/manifests/manifest_request.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/app/serving/price_step.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/manifests/manifest_texts_test.h"

namespace warploom {
namespace {

Json taken(Json request, SetupUse use = SetupUse::Run) {
  take_manifests(request, fields_of<SimulateRequest>(), use, FileScope::machine());
  return request;
}

TEST(ManifestRequest, PutsWhatTheFileStartsUnderWhatIsGiven) {
  const Json request =
      taken({{"setup", {{"manifest", manifest_path("deployment.yaml")}, {"config", {{"max_num_seqs", 7}}}}}});
  const Json& setup = request["setup"];
  EXPECT_FALSE(setup.contains("manifest"));
  EXPECT_EQ(setup["model"], "Qwen/Qwen3-8B");
  EXPECT_EQ(setup["gpu"], "h100_sxm");
  EXPECT_EQ(setup["config"]["instances"], 4);
  EXPECT_EQ(setup["config"]["max_num_seqs"], 7);
  EXPECT_FALSE(request.contains("fleet"));
}

TEST(ManifestRequest, PutsPoolsAndTheRouterBesideTheSetup) {
  const Json request =
      taken({{"setup", {{"manifest", manifest_path("dynamo_v1alpha1.yaml")}, {"gpu", "B200"}}},
             {"disaggregation", {{"decode", {{"config", {{"instances", 9}}}}}}}});
  const Json& pools = request["disaggregation"];
  EXPECT_EQ(pools["prefill"]["gpu"], "B200");
  EXPECT_EQ(pools["prefill"]["config"]["instances"], 2);
  EXPECT_EQ(pools["decode"]["config"]["instances"], 9);
  EXPECT_EQ(pools["decode"]["config"]["tensor_parallel_size"], 2);
  const Json weighted = taken({{"setup", {{"manifest", manifest_path("llm_d_with_picker.yaml")}}},
                               {"fleet", {{"router_kv_weight", 5}}}});
  EXPECT_EQ(weighted["fleet"]["router_prefix_weight"], 4);
  EXPECT_EQ(weighted["fleet"]["router_kv_weight"], 5);
}

TEST(ManifestRequest, LeavesOutWhatOneStepHasNot) {
  Json request{{"setup", {{"manifest", manifest_path("llm_d_with_picker.yaml")}}}};
  const auto left_out =
      take_manifests(request, fields_of<StepRequest>(), SetupUse::Step, FileScope::machine());
  EXPECT_FALSE(left_out.empty());
  EXPECT_FALSE(request.contains("fleet"));
  EXPECT_FALSE(request["setup"]["config"].contains("instances"));
}

TEST(ManifestRequest, RefusesPathsThatAreNone) {
  EXPECT_THROW(taken({{"setup", {{"manifest", 3}}}}), InvalidInput);
  EXPECT_THROW(taken({{"setup", {{"manifest", "/no/such/file"}}}}), IoError);
  EXPECT_THROW(taken({{"setup", {{"manifest", manifest_path("options.yaml")}}}}), InvalidInput);  // no GPU
  Json request{{"setup", {{"manifest", manifest_path("deployment.yaml")}}}};
  EXPECT_THROW(take_manifests(request, fields_of<SimulateRequest>(), SetupUse::Run, FileScope()),
               Unsupported);
  Json step{{"setup", {{"manifest", manifest_path("dynamo_v1alpha1.yaml")}}}};
  EXPECT_THROW(take_manifests(step, fields_of<StepRequest>(), SetupUse::Step, FileScope::machine()),
               InvalidInput);
}

TEST(ManifestRequest, IsNotReadUnlessItIsTaken) {
  const Json setup{
      {"model", "Qwen/Qwen3-8B"}, {"gpu", "H200"}, {"manifest", manifest_path("deployment.yaml")}};
  EXPECT_THROW(object_from_json<ServingSetupRequest>(setup, "setup"), Unsupported);
}

}  // namespace
}  // namespace warploom
