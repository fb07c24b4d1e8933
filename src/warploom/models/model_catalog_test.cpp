#include "warploom/models/model_catalog.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/json.h"
#include "warploom/models/contains_text.h"
#include "warploom/models/operator_graph.h"

namespace warploom {
namespace {

TEST(ModelCatalog, HoldsAtLeastTwentyFiveModels) {
  const ModelCatalog catalog;
  EXPECT_GE(catalog.entries().size(), 25u);
  for (const auto& entry : catalog.entries()) {
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    EXPECT_NO_THROW(check_architecture(entry.model, entry.name));
  }
}

TEST(ModelCatalog, EveryModelHasValidOperators) {
  const ModelCatalog catalog;
  StepShape step = StepShape::whole_prompts(2, 300, 9000);
  step.decode = {{7, 1, 20000}};
  step.logits_rows = 9;
  for (const auto& entry : catalog.entries()) {
    for (const OperatorNode& node : build_operator_graph(entry.model, {}, step)) {
      EXPECT_NO_THROW(check_operator(node.op, entry.name)) << entry.name << " " << node.label;
      EXPECT_GT(node.count, 0);
      EXPECT_FALSE(node.label.empty());
    }
  }
}

TEST(ModelCatalog, FindsAliasesAndShortNamesInAnyCase) {
  const ModelCatalog catalog;
  for (const char* name : {"meta-llama/Llama-3.1-8B", "Llama-3.1-8B", "llama-3.1-8b-instruct",
                           "meta-llama/Meta-Llama-3.1-8B", "meta_llama/llama_3.1_8b"}) {
    ASSERT_NE(catalog.find(name), nullptr) << name;
    EXPECT_EQ(catalog.find(name)->name, "meta-llama/Llama-3.1-8B");
  }
  for (const char* name : {"Llama-3-70B",
                           "Llama-3-8B",
                           "Llama-3.1-70B",
                           "Qwen2-72B",
                           "Qwen2.5-14B",
                           "Qwen2.5-32B",
                           "Qwen3-14B",
                           "Qwen3-32B",
                           "Qwen/Qwen3-30B-A3B-Instruct-2507",
                           "Qwen-72B",
                           "CodeLlama-34b-Instruct-hf",
                           "internlm-20b",
                           "Llama-2-70b-hf",
                           "Llama-2-7b-hf",
                           "Meta-Llama-3-70B",
                           "Meta-Llama-3-8B",
                           "phi-2",
                           "deepseek-ai/DeepSeek-R1",
                           "openai/gpt-oss-120b",
                           "MiniMaxAI/MiniMax-M2.5",
                           "deepseek-ai/DeepSeek-V3",
                           "Qwen/Qwen3.5-397B-A17B",
                           "moonshotai/Kimi-K2.5",
                           "Qwen/Qwen3-235B-A22B-FP8",
                           "nvidia/Llama-3.1-8B-Instruct-FP8",
                           "nvidia/Qwen3-32B-NVFP4"}) {
    EXPECT_NE(catalog.find(name), nullptr) << name;
  }
}

// load_model reads the records that spell the name; which one is meant must not depend on the others.
TEST(ModelCatalog, OneModelIsTheSameAsAmongAll) {
  const ModelCatalog catalog;
  const auto text_of = [](const ModelArchitecture& model) {
    return json_text(write_fields(fields_of<ModelArchitecture>(), &model));
  };
  std::size_t names = 0;
  for (const ModelCatalog::Entry& entry : catalog.entries()) {
    std::vector<std::string> asked{entry.name};
    asked.insert(asked.end(), entry.aliases.begin(), entry.aliases.end());
    for (std::size_t i = 0, whole = asked.size(); i < whole; ++i)
      asked.push_back(asked[i].substr(asked[i].rfind('/') + 1));
    for (const std::string& name : asked) {
      EXPECT_EQ(text_of(load_model(name)), text_of(catalog.get(name))) << name;
      EXPECT_EQ(repository_of_model(name), catalog.repository(name)) << name;
      ++names;
    }
  }
  EXPECT_GT(names, 2 * catalog.entries().size() - 1);
  EXPECT_EQ(repository_of_model("no-such-model"), "no-such-model");
}

TEST(ModelCatalog, NamesTheNearestOfAnUnknownModel) {
  try {
    load_model("Llama-3.1-7B");
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_PRED2(contains_text, error.what(), "Llama-3.1-");
    EXPECT_PRED2(contains_text, error.what(), "did you mean");
  }
  EXPECT_THROW(load_model(""), NotFound);
  EXPECT_THROW(load_model("./no_such/config.json", FileScope::machine()), IoError);
  EXPECT_THROW(load_model("./no_such/config.json"), NotFound);
}

TEST(ModelCatalog, RefusesBadAndClashingRecords) {
  const auto record = [](std::string_view text) { return EmbeddedFile{"test.json", text}; };
  const std::vector<EmbeddedFile> no_schema{record("{}")};
  EXPECT_THROW(ModelCatalog{no_schema}, InvalidInput);
  const std::vector<EmbeddedFile> newer{record(R"({"schema": "warploom_model", "version": 2})")};
  EXPECT_THROW(ModelCatalog{newer}, Unsupported);
  constexpr std::string_view kTiny =
      R"({"schema": "warploom_model", "version": 1, "name": "a/tiny", "source": "test",
      "config": {"architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
                 "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 1000}})";
  constexpr std::string_view kClash =
      R"({"schema": "warploom_model", "version": 1, "name": "b/tiny", "source": "test",
      "config": {"architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
                 "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 1000}})";
  const std::vector<EmbeddedFile> one{record(kTiny)};
  EXPECT_EQ(ModelCatalog(one).names(), std::vector<std::string>{"a/tiny"});
  const std::vector<EmbeddedFile> two{record(kTiny), record(kClash)};
  EXPECT_THROW(ModelCatalog{two}, InvalidInput);
}

TEST(ModelCatalog, ArchitecturesSurviveJson) {
  for (const char* name : {"Llama-3.1-8B", "DeepSeek-V3", "gpt-oss-120b", "Qwen3.5-397B-A17B",
                           "gemma-4-26B-A4B", "MiMo-V2-Flash", "Llama-3_3-Nemotron-Super-49B-v1"}) {
    const ModelArchitecture model = load_model(name);
    const std::string text = json_text(write_fields(fields_of<ModelArchitecture>(), &model));
    const auto again = object_from_json<ModelArchitecture>(parse_json(text, name), name);
    EXPECT_EQ(json_text(write_fields(fields_of<ModelArchitecture>(), &again)), text) << name;
    ASSERT_EQ(again.layers.size(), model.layers.size());
    for (std::size_t i = 0; i < model.layers.size(); ++i) EXPECT_TRUE(again.layers[i].alike(model.layers[i]));
  }
}

}  // namespace
}  // namespace warploom
