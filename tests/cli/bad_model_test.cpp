#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

nlohmann::json small_llama() {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"model_type", "llama"},
          {"hidden_size", 1024},
          {"num_hidden_layers", 4},
          {"num_attention_heads", 16},
          {"num_key_value_heads", 4},
          {"intermediate_size", 4096},
          {"vocab_size", 32000},
          {"torch_dtype", "bfloat16"},
          {"max_position_embeddings", 8192}};
}

TEST(BadModel, ReadsASoundConfig) {
  const ScratchFolder scratch;
  const std::string path = scratch.write("small.json", small_llama().dump());
  const ProgramResult result = run_warploom({"models", path, "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document["models"][0]["name"], "small");
  EXPECT_EQ(document["models"][0]["layers"], 4);
}

TEST(BadModel, RefusesAConfigWithoutANeededField) {
  const ScratchFolder scratch;
  for (const char* key : {"hidden_size", "num_hidden_layers", "vocab_size", "num_attention_heads",
                          "intermediate_size", "architectures"}) {
    nlohmann::json config = small_llama();
    config.erase(key);
    expect_refusal({"models", scratch.write("config.json", config.dump())},
                   {"config.json", key, "is missing"});
  }
}

TEST(BadModel, RefusesImpossibleValues) {
  const ScratchFolder scratch;
  const auto refuse = [&](const char* key, const nlohmann::json& value,
                          const std::vector<std::string>& words) {
    nlohmann::json config = small_llama();
    config[key] = value;
    expect_refusal({"models", scratch.write("config.json", config.dump())}, words);
  };
  refuse("hidden_size", -1024, {"'hidden_size' is -1024"});
  refuse("hidden_size", "wide", {"'hidden_size' is \"wide\""});
  refuse("num_attention_heads", 0, {"'num_attention_heads' is 0"});
  refuse("architectures", {"WeirdForCausalLM"}, {"WeirdForCausalLM is not known", "LlamaForCausalLM"});
}

TEST(BadModel, RefusesBrokenFiles) {
  const ScratchFolder scratch;
  expect_refusal({"models", scratch.write("config.json", "{")}, {"config.json", "not valid JSON"});
  expect_refusal({"models", scratch.write("config.json", "{\"hidden_size\": 1e999}")},
                 {"config.json", "too large"});
  expect_refusal({"models", scratch.write("config.json", "[]")}, {"config.json", "no JSON object"});
  expect_refusal({"models", "absent.json"}, {"absent.json", "no such file"});
}

TEST(BadModel, OffersTheNearestModel) {
  expect_refusal({"step", "--model", "Qwen/Qwen3-8", "--gpu", "h100", "--prefill", "1x10"},
                 {"did you mean", "Qwen/Qwen3-8B"});
}

TEST(BadModel, SaysByHowMuchAModelDoesNotFitAndWhatWould) {
  expect_refusal(
      {"simulate", "--model", "Qwen/Qwen3-235B-A22B", "--gpu", "h100", "--workload", "conversation"},
      {"does not fit", "GiB too little", "--tensor-parallel-size 8 would fit"});
}

}  // namespace
}  // namespace warploom
