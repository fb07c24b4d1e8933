#include "warploom/serving/speculation/drafter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/speculation/draft_method.h"
#include "warploom/serving/speculation/drafting_step_pricer.h"

namespace warploom {
namespace {

const ModelArchitecture& model_named(const char* name) {
  static const ModelCatalog catalog;
  return catalog.get(name);
}

Drafter drafter_named(const char* method, const char* target, const char* draft = "") {
  const DraftMethod& by = draft_method_named(method);
  const auto own = load_draft(by, draft, {});
  return drafter_for(by, model_named(target), own ? &*own : nullptr);
}

// Its technical report counts 0.33 B parameters.
TEST(Drafter, ModulesOfMimoV2AreDenseAndSeeAWindow) {
  const Drafter module = drafter_named("mtp", "MiMo-V2-Flash");
  EXPECT_EQ(module.model.mixture(), nullptr);
  EXPECT_TRUE(std::get<Attention>(module.model.layers[0].mixer).windowed());
  const ParameterCounts counts = parameter_counts(module.model);
  const double fusion = double(module.fusion.width) * double(module.model.hidden);
  EXPECT_NEAR((counts.total - counts.embedding + fusion) / 1e9, 0.33, 0.01);
  EXPECT_EQ(module.modules, 1);
  EXPECT_EQ(drafter_named("mtp", "Step-3.7-Flash").modules, 3);
  EXPECT_EQ(drafter_named("eagle", "Step-3.7-Flash").modules, 1);
}

// yuhuili/EAGLE3-LLaMA3.1-Instruct-8B is a file of 811 MiB: everything but the embeddings, which are the
// target's. Its own config.json says the same as what is taken where none is known.
TEST(Drafter, Eagle3OfLlamaHasTheWeightsThatArePublished) {
  for (const char* draft : {"", "yuhuili/EAGLE3-LLaMA3.1-Instruct-8B"}) {
    const Drafter drafter = drafter_named("eagle3", "Llama-3.1-8B", draft);
    EXPECT_EQ(drafter.model.vocabulary, 32000);
    EXPECT_NEAR(draft_weights(drafter, {}).value() / (1 << 20), 811, 2) << draft;
  }
}

TEST(Drafter, Eagle3JoinsThreeStatesOnceAndReadsEmbeddingsInEveryPass) {
  const ModelArchitecture& target = model_named("Llama-3.1-8B");
  const Drafter eagle = drafter_named("eagle", "Llama-3.1-8B"),
                eagle3 = drafter_named("eagle3", "Llama-3.1-8B");
  const DraftOperators of_eagle3 = draft_operators(eagle3, {}, {}, 3);
  EXPECT_TRUE(of_eagle3.each_pass.nodes.empty());
  ASSERT_EQ(of_eagle3.each_step.nodes.size(), 1U);
  EXPECT_EQ(std::get<Gemm>(of_eagle3.each_step.nodes[0].op).k, 3 * target.hidden);
  const Attention plain = std::get<Attention>(eagle.model.layers[0].mixer);
  Attention reading = std::get<Attention>(eagle3.model.layers[0].mixer);
  EXPECT_TRUE(reading.reads_embeddings);
  reading.reads_embeddings = false;
  EXPECT_EQ(reading, plain);
  const DraftOperators of_eagle = draft_operators(eagle, {}, {}, 3);
  EXPECT_TRUE(of_eagle.each_step.nodes.empty());
  EXPECT_EQ(std::get<Gemm>(of_eagle.each_pass.nodes[0].op).k, 2 * target.hidden);
}

TEST(Drafter, Eagle3OfLatentAttentionReadsEmbeddingsToo) {
  const Drafter drafter = drafter_named("eagle3", "DeepSeek-R1");
  EXPECT_TRUE(std::get<LatentAttention>(drafter.model.layers[0].mixer).reads_embeddings);
}

// Sizes of the files as published: deepseek-ai/dspark_qwen3_8b_block7 (4,742,170,330 bytes, with a table and
// an lm_head, which vLLM takes from the target), z-lab/Qwen3-8B-DFlash-b16 (2,097,259,104 bytes, with
// neither), Tengyunw/qwen3_8b_eagle3 (799,493,246 bytes, with an lm_head of 32,000 tokens).
TEST(Drafter, FilesOfThreeDraftsOfQwen3AreAsLargeAsPublished) {
  constexpr double kNear = 1e-3;  // tables of tokens, headers
  const Drafter dspark = drafter_named("dspark", "Qwen3-8B", "dspark_qwen3_8b_block7");
  const double tables = 2.0 * 151936 * 4096 * 2;
  EXPECT_NEAR((draft_weights(dspark, {}).value() + tables) / 4742170330.0, 1, kNear);
  const Drafter dflash = drafter_named("dflash", "Qwen3-8B", "Qwen3-8B-DFlash-b16");
  EXPECT_NEAR(draft_weights(dflash, {}).value() / 2097259104.0, 1, kNear);
  const Drafter eagle3 = drafter_named("eagle3", "Qwen3-8B", "qwen3_8b_eagle3");
  EXPECT_NEAR(draft_weights(eagle3, {}).value() / 799493246.0, 1, kNear);
}

// 5 layers, keys and values of 8 heads of 128.
TEST(Drafter, KeysOfTheContextAreMadeOfTheFusedStates) {
  const Drafter drafter = drafter_named("dflash", "Qwen3-8B", "Qwen3-8B-DFlash-b16");
  EXPECT_DOUBLE_EQ(kv_footprint(drafter.model, {}).per_token().value(), 5 * 2 * 8 * 128 * 2);
  const DraftOperators operators = draft_operators(drafter, {}, {}, 15);
  EXPECT_TRUE(operators.each_pass.nodes.empty());
  const auto product = [&](std::string_view label) {
    const auto found = std::find_if(operators.each_step.nodes.begin(), operators.each_step.nodes.end(),
                                    [&](const OperatorNode& node) { return node.label == label; });
    return std::get<Gemm>(found->op);
  };
  EXPECT_EQ(product("draft fusion").k, 5 * 4096);
  EXPECT_EQ(product("draft context keys").n, 5 * 2 * 8 * 128);
  EXPECT_EQ(product("draft context keys").k, 4096);
  EXPECT_EQ(draft_operators(drafter, {.tensor_parallel = 2}, {}, 15).each_step.nodes.size(),
            operators.each_step.nodes.size());
}

// DFlash runs N + 1 tokens of a request for N drafts, DSpark N: its first token predicts too. The Markov head
// runs once for each of them, over one row a request.
TEST(Drafter, BlocksHaveTheTokensThatTheEngineRuns) {
  const Drafter dflash = drafter_named("dflash", "Qwen3-8B", "Qwen3-8B-DFlash-b16");
  const Drafter dspark = drafter_named("dspark", "Qwen3-8B", "dspark_qwen3_8b_block7");
  ASSERT_TRUE(dflash.block && dspark.block);
  EXPECT_EQ(dflash.block->queries(15), 16);
  EXPECT_EQ(dflash.block->trained, 15);
  EXPECT_EQ(dspark.block->queries(7), 7);
  EXPECT_EQ(dspark.block->trained, 7);
  DraftOperators operators = draft_operators(dspark, {}, {}, 7);
  bool found = false;
  for (const OperatorNode& node : operators.each_pass.scale(7 * 10, 7 * 10, 7 * 10)) {
    if (node.label != "markov bias") continue;
    found = true;
    EXPECT_EQ(node.count, 7);
    EXPECT_EQ(std::get<Gemm>(node.op).m, 10);
    EXPECT_EQ(std::get<Gemm>(node.op).n, 151936);
    EXPECT_EQ(std::get<Gemm>(node.op).k, 256);
  }
  EXPECT_TRUE(found);
}

TEST(Drafter, OperatorsOfEveryDrafterAreWhole) {
  for (const auto& [method, target, draft] :
       {std::array{"dflash", "Qwen3-8B", "Qwen3-8B-DFlash-b16"},
        std::array{"dspark", "Qwen3-8B", "dspark_qwen3_8b_block7"},
        std::array{"dspark", "DeepSeek-V4.1-Flash", ""}, std::array{"eagle", "Qwen3-8B", ""},
        std::array{"eagle3", "Qwen3-8B", "qwen3_8b_eagle3"}}) {
    for (const std::int64_t ranks : {1, 8}) {
      const Drafter drafter = drafter_named(method, target, draft);
      DraftOperators operators = draft_operators(drafter, {.tensor_parallel = ranks}, {}, 5);
      for (ScaledOperators* each : {&operators.each_step, &operators.each_pass})
        for (const OperatorNode& node : each->scale(20, 20, 20)) check_operator(node.op, node.label);
    }
  }
}

// dspark_n_routed_experts and its kin of the published config.json: three stages over a window, 128 experts.
TEST(Drafter, StagesOfV41AreItsDSparkDrafter) {
  const Drafter drafter = drafter_named("dspark", "DeepSeek-V4.1-Flash");
  EXPECT_EQ(drafter.model.layer_count(), 3);
  EXPECT_EQ(drafter.modules, 1);
  ASSERT_NE(drafter.model.mixture(), nullptr);
  EXPECT_EQ(drafter.model.mixture()->experts, 128);
  EXPECT_EQ(drafter.model.mixture()->top_k, 3);
  EXPECT_EQ(std::get<CompressedLatent>(drafter.model.layers[0].mixer).compress_ratio, 0);
  EXPECT_EQ(drafter.fusion.width, 3 * 5120);
  EXPECT_EQ(drafter.block->markov_rank, 256);
  EXPECT_EQ(drafter.block->trained, 5);
  try {
    drafter_named("mtp", "DeepSeek-V4.1-Flash");
    FAIL() << "its prediction layers are no modules";
  } catch (const Unsupported& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("are a DSpark drafter, expected method dspark"),
              std::string::npos)
        << refusal.what();
  }
  EXPECT_THROW(drafter_named("dspark", "Qwen3-8B"), InvalidInput);
}

// Answers how it was asked.
class AskedPricer final : public StepPricer {
 public:
  explicit AskedPricer(std::vector<StepBatch>& asked) : asked_(asked) {}
  StepCost price(const StepBatch& batch) override {
    asked_.push_back(batch);
    return {.p10 = milliseconds(1), .p50 = milliseconds(1), .p90 = milliseconds(1)};
  }
  std::vector<KernelTime> breakdown() const override { return {}; }
  std::unique_ptr<StepPricer> clone() const override { return std::make_unique<AskedPricer>(asked_); }

 private:
  std::vector<StepBatch>& asked_;
};

TEST(DraftingStepPricer, ABlockIsOnePassAndPromptsThatGoOnNeedNone) {
  std::vector<StepBatch> target, drafter;
  DraftingStepPricer pricer(std::make_unique<AskedPricer>(target), std::make_unique<AskedPricer>(drafter),
                            {.steps = 7, .block_queries = 8});
  const std::vector<std::int32_t> contexts(4, 100);
  StepBatch batch;
  batch.set_decode(contexts);
  batch.emitting = 4;
  EXPECT_NEAR(pricer.price(batch).p50.value(), 2e-3, 1e-12);
  ASSERT_EQ(drafter.size(), 1U);
  EXPECT_EQ(drafter[0].tokens(), 4 * 8);
  EXPECT_EQ(drafter[0].logits_rows, 4 * 7);
  EXPECT_EQ(drafter[0].decode_requests, 4);
  const PrefillChunk chunk{.tokens = 512, .context = 0};
  StepBatch prompt;
  prompt.chunks = {&chunk, 1};
  prompt.chunk_tokens = 512;
  EXPECT_NEAR(pricer.price(prompt).p50.value(), 1e-3, 1e-12);
  EXPECT_EQ(drafter.size(), 1U);
}

}  // namespace
}  // namespace warploom
