#include "warploom/serving/speculation/speculation_defaults.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/speculation/drafting_step_pricer.h"

namespace warploom {
namespace {

ServingConfig asked(const std::string& json) {
  ServingConfig config;
  config.speculative_config = json;
  return config;
}

const ModelArchitecture& model_named(const char* name) {
  static const ModelCatalog catalog;
  return catalog.get(name);
}

std::string refusal_of(const std::string& json, const char* model) {
  ServingConfig config = asked(json);
  try {
    complete_speculation(config, model_named(model));
    drafter_for(*speculation_of(config).method, model_named(model));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SpeculationDefaults, TakesThePublishedAcceptanceAndSaysWhose) {
  ServingConfig config = asked(R"({"method": "mtp", "num_speculative_tokens": 1})");
  complete_speculation(config, model_named("DeepSeek-V3"));
  EXPECT_DOUBLE_EQ(config.acceptance_length.value(), 1.875);  // 85 to 90 % of the second tokens
  EXPECT_NE(acceptance_source(config, model_named("DeepSeek-V3")).find("2412.19437"), std::string::npos);
}

TEST(SpeculationDefaults, KeepsWhatIsStated) {
  ServingConfig config = asked(R"({"method": "mtp", "num_speculative_tokens": 1})");
  config.acceptance_rates = {0.6};
  complete_speculation(config, model_named("DeepSeek-V3"));
  EXPECT_FALSE(config.acceptance_length.has_value());
  EXPECT_EQ(acceptance_source(config, model_named("DeepSeek-V3")), "");
  ServingConfig none;
  complete_speculation(none, model_named("DeepSeek-V3"));
  EXPECT_EQ(acceptance_source(none, model_named("DeepSeek-V3")), "");
}

// Two tokens, another model, another method: nobody published them, and speculation_of refuses as before.
TEST(SpeculationDefaults, KnowsNothingOfWhatWasNotPublished) {
  for (const auto& [json, model] :
       {std::pair{R"({"method": "mtp", "num_speculative_tokens": 2})", "DeepSeek-V3"},
        std::pair{R"({"method": "mtp", "num_speculative_tokens": 1})", "GLM-5"},
        std::pair{R"({"method": "ngram", "num_speculative_tokens": 1})", "DeepSeek-V3"}})
    EXPECT_NE(refusal_of(json, model).find("acceptance is not stated"), std::string::npos) << json << model;
}

TEST(SpeculationDefaults, CountsThePredictionModulesAsVllmDoes) {
  ServingConfig config = asked(R"({"method": "mtp"})");
  config.acceptance_length = 2;
  complete_speculation(config, model_named("Step-3.7-Flash"));
  EXPECT_EQ(speculation_of(config).steps, 3);
  const std::string refused =
      R"({"method": "mtp", "num_speculative_tokens": 4, "synthetic_acceptance_length": 2})";
  EXPECT_NE(refusal_of(refused, "Step-3.7-Flash").find("expected at most the 3 prediction modules"),
            std::string::npos)
      << refusal_of(refused, "Step-3.7-Flash");
  EXPECT_EQ(refusal_of(refused, "DeepSeek-V3"), "");  // one module runs again and again
}

TEST(SpeculationDefaults, EaglesOfSglangWithoutAModelAreThePredictionModule) {
  ServingConfig config;
  config.acceptance_length = 2;
  config.speculative_algorithm = "EAGLE";
  const auto method_for = [&](const char* model) {
    return drafting_method(config, speculation_of(config), model_named(model))->name;
  };
  EXPECT_EQ(method_for("DeepSeek-R1"), "mtp");
  EXPECT_EQ(method_for("Llama-3.1-8B"), "eagle");
  config.speculative_draft_model_path = "somebody/EAGLE-DeepSeek-R1";
  EXPECT_EQ(method_for("DeepSeek-R1"), "eagle");
  config.speculative_draft_model_path.clear();
  config.speculative_algorithm = "EAGLE3";
  EXPECT_EQ(method_for("DeepSeek-R1"), "eagle3");
}

// vLLM takes the method from a draft's class where its name says nothing, and the tokens of a DSpark block
// from its config.json.
TEST(SpeculationDefaults, ReadsTheMethodAndTheBlockOfTheDraftsOwnConfig) {
  ServingConfig config = asked(R"({"model": "deepseek-ai/dspark_qwen3_8b_block7"})");
  config.acceptance_length = 3;
  complete_speculation(config, model_named("Qwen3-8B"));
  EXPECT_TRUE(speculation_of(config).drafts_by("dspark"));
  EXPECT_EQ(speculation_of(config).steps, 7);
  ServingConfig flags;
  flags.acceptance_length = 3;
  flags.speculative_algorithm = "DFLASH";
  flags.speculative_draft_model_path = "Qwen3-8B-DFlash-b16";
  complete_speculation(flags, model_named("Qwen3-8B"));
  EXPECT_EQ(speculation_of(flags).steps, 15);
  EXPECT_EQ(speculation_of(flags).verified_tokens, 16);
  ServingConfig stages = asked(R"({"method": "dspark"})");
  stages.acceptance_length = 3;
  complete_speculation(stages, model_named("DeepSeek-V4.1-Flash"));
  EXPECT_EQ(speculation_of(stages).steps, 5);
}

TEST(SpeculationDefaults, RefusesBlocksOfADrafterThatIsNotKnown) {
  const std::string tokens = R"("num_speculative_tokens": 7, "synthetic_acceptance_length": 3})";
  const std::string unknown =
      refusal_of(R"({"method": "dflash", "model": "some/Qwen3-8B-DFlash-b61", )" + tokens, "Qwen3-8B");
  EXPECT_NE(unknown.find("method dflash needs a drafter for"), std::string::npos) << unknown;
  const std::string bare = refusal_of(R"({"method": "dspark", )" + tokens, "Qwen3-8B");
  EXPECT_NE(bare.find("method dspark needs a drafter for"), std::string::npos) << bare;
}

// The words of vllm/config/speculative.py for the prediction layers of each family.
TEST(SpeculativeConfig, KnowsThePredictionLayersOfEveryFamily) {
  for (const char* method :
       {"mtp", "deepseek_mtp", "glm4_moe_lite_mtp", "glm5_next_mtp", "qwen3_5_mtp", "minimax_m3_mtp",
        "nemotron_h_mtp", "step3p5_mtp", "mimo_v2_mtp", "kimi_k3_mtp"}) {
    ServingConfig config =
        asked(std::string(R"({"method": ")") + method + R"(", "num_speculative_tokens": 1})");
    config.acceptance_length = 1.5;
    EXPECT_TRUE(speculation_of(config).drafts_by("mtp")) << method;
  }
}

}  // namespace
}  // namespace warploom
