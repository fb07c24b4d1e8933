#include "warploom/serving/speculation/speculation_defaults.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/models/memory_footprint.h"
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
    drafter_architecture(speculation_of(config).method, model_named(model));
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
    return drafting_method(config, speculation_of(config), model_named(model));
  };
  EXPECT_EQ(method_for("DeepSeek-R1"), DraftMethod::Mtp);
  EXPECT_EQ(method_for("Llama-3.1-8B"), DraftMethod::Eagle);
  config.speculative_draft_model_path = "somebody/EAGLE-DeepSeek-R1";
  EXPECT_EQ(method_for("DeepSeek-R1"), DraftMethod::Eagle);
  config.speculative_draft_model_path.clear();
  config.speculative_algorithm = "EAGLE3";
  EXPECT_EQ(method_for("DeepSeek-R1"), DraftMethod::Eagle3);
}

// Its technical report counts 0.33 B parameters of a module.
TEST(DrafterArchitecture, ModulesOfMimoV2AreDenseAndSeeAWindow) {
  const ModelArchitecture& target = model_named("MiMo-V2-Flash");
  const ModelArchitecture module = drafter_architecture(DraftMethod::Mtp, target);
  EXPECT_EQ(module.mixture(), nullptr);
  EXPECT_TRUE(std::get<Attention>(module.layers[0].mixer).windowed());
  const ParameterCounts counts = parameter_counts(module);
  const double fusion = drafter_weights_beside(DraftMethod::Mtp, target, {}).value() / 2;  // of 2 bytes
  EXPECT_NEAR((counts.total - counts.embedding + fusion) / 1e9, 0.33, 0.01);
  EXPECT_EQ(drafter_modules(DraftMethod::Mtp, target), 1);
  EXPECT_EQ(drafter_modules(DraftMethod::Mtp, model_named("Step-3.7-Flash")), 3);
  EXPECT_EQ(drafter_modules(DraftMethod::Eagle, model_named("Step-3.7-Flash")), 1);
}

// yuhuili/EAGLE3-LLaMA3.1-Instruct-8B is a file of 811 MiB: everything but the embeddings, which are the
// target's.
TEST(DrafterArchitecture, Eagle3OfLlamaHasTheWeightsThatArePublished) {
  const ModelArchitecture& target = model_named("Llama-3.1-8B");
  const ModelArchitecture drafter = drafter_architecture(DraftMethod::Eagle3, target);
  EXPECT_EQ(drafter.vocabulary, 32000);
  const ParameterCounts counts = parameter_counts(drafter);
  const double beside = drafter_weights_beside(DraftMethod::Eagle3, target, {}).value();
  const double mebibytes = ((counts.total - counts.embedding) * 2 + beside) / (1 << 20);
  EXPECT_NEAR(mebibytes, 811, 2);
}

TEST(DrafterArchitecture, Eagle3JoinsThreeStatesOnceAndReadsEmbeddingsInEveryPass) {
  const ModelArchitecture& target = model_named("Llama-3.1-8B");
  const DrafterFusion fusion = drafter_fusion(DraftMethod::Eagle3, target);
  EXPECT_TRUE(fusion.each_pass.nodes.empty());
  ASSERT_EQ(fusion.each_step.nodes.size(), 1U);
  EXPECT_EQ(std::get<Gemm>(fusion.each_step.nodes[0].op).k, 3 * target.hidden);
  const Attention eagle =
      std::get<Attention>(drafter_architecture(DraftMethod::Eagle, target).layers[0].mixer);
  Attention eagle3 = std::get<Attention>(drafter_architecture(DraftMethod::Eagle3, target).layers[0].mixer);
  EXPECT_TRUE(eagle3.reads_embeddings);
  eagle3.reads_embeddings = false;
  EXPECT_EQ(eagle3, eagle);
  const DrafterFusion of_eagle = drafter_fusion(DraftMethod::Eagle, target);
  EXPECT_TRUE(of_eagle.each_step.nodes.empty());
  EXPECT_EQ(std::get<Gemm>(of_eagle.each_pass.nodes[0].op).k, 2 * target.hidden);
}

TEST(DrafterArchitecture, Eagle3OfLatentAttentionReadsEmbeddingsToo) {
  const ModelArchitecture drafter = drafter_architecture(DraftMethod::Eagle3, model_named("DeepSeek-R1"));
  EXPECT_TRUE(std::get<LatentAttention>(drafter.layers[0].mixer).reads_embeddings);
}

TEST(DrafterArchitecture, RefusesTheDSparkStagesOfV41AsPredictionLayers) {
  const std::string json =
      R"({"method": "mtp", "num_speculative_tokens": 3, "synthetic_acceptance_length": 2})";
  EXPECT_NE(refusal_of(json, "DeepSeek-V4.1-Flash").find("a DSpark drafter, which is not modelled"),
            std::string::npos)
      << refusal_of(json, "DeepSeek-V4.1-Flash");
}

// The words of vllm/config/speculative.py for the prediction layers of each family.
TEST(SpeculativeConfig, KnowsThePredictionLayersOfEveryFamily) {
  for (const char* method :
       {"mtp", "deepseek_mtp", "glm4_moe_lite_mtp", "glm5_next_mtp", "qwen3_5_mtp", "minimax_m3_mtp",
        "nemotron_h_mtp", "step3p5_mtp", "mimo_v2_mtp", "kimi_k3_mtp"}) {
    ServingConfig config =
        asked(std::string(R"({"method": ")") + method + R"(", "num_speculative_tokens": 1})");
    config.acceptance_length = 1.5;
    EXPECT_EQ(speculation_of(config).method, DraftMethod::Mtp) << method;
  }
}

}  // namespace
}  // namespace warploom
