// Documents that stand in texts of requests and command lines: configurations of an engine.
#include <gtest/gtest.h>

#include "own_words.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/manifests/manifest_request.h"
#include "warploom/models/draft_config.h"
#include "warploom/models/load_vision_encoder.h"
#include "warploom/serving/engines/additional_config.h"
#include "warploom/serving/engines/compilation_config.h"
#include "warploom/serving/engines/eplb_config.h"
#include "warploom/serving/engines/speculation_flags.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

using Apply = void (*)(ServingConfig& config, std::string_view json, const std::string& where);
using ApplyEntry = void (*)(ServingConfig& config, std::string_view key, std::string_view value,
                            const std::string& where);

ReadDocument of_text(Apply apply) {
  return [apply](const Json& document) {
    ServingConfig config;
    apply(config, document.dump(), "--flag");
  };
}

TEST(WrongTexts, OfEnginesAreRefusedInOwnWords) {
  expect_own_words("compilation",
                   {{"cudagraph_mode", "FULL"},
                    {"max_cudagraph_capture_size", 64},
                    {"cudagraph_capture_sizes", {1, 2, 4}}},
                   of_text(apply_compilation_config));
  expect_own_words("expert balance", {{"num_redundant_experts", 32}, {"policy", "default"}},
                   of_text(apply_eplb_config));
  expect_own_words("additional", {{"gdn_prefill_backend", "triton"}}, of_text(apply_additional_config));
  expect_own_words("vision",
                   {{"depth", 27},
                    {"hidden_size", 1152},
                    {"num_heads", 16},
                    {"intermediate_size", 4304},
                    {"patch_size", 16},
                    {"spatial_merge_size", 2},
                    {"in_channels", 3},
                    {"temporal_patch_size", 2},
                    {"out_hidden_size", 4096}},
                   [](const Json& document) { (void)load_vision_encoder(document.dump()); });
}

TEST(WrongTexts, OfDraftsAreRefusedInOwnWords) {
  const auto drafts = [](const Json& document) {
    ServingConfig config;
    config.speculative_config = document.dump();
    config.acceptance_length = 2;
    (void)speculation_of(config);
  };
  expect_own_words("eagle",
                   {{"method", "eagle3"}, {"num_speculative_tokens", 3}, {"draft_tensor_parallel_size", 1}},
                   drafts);
  expect_own_words("draft model",
                   {{"model", "Qwen3-0.6B"}, {"quantization", "fp8"}, {"num_speculative_tokens", 3}}, drafts);
}

TEST(WrongTexts, OfConfigsOfDraftsAreRefusedInOwnWords) {
  static constexpr DraftClass kClasses[] = {{"LlamaForCausalLMEagle3", "LlamaForCausalLM"}};
  expect_own_words(
      "config of a draft",
      {{"architectures", {"LlamaForCausalLMEagle3"}},
       {"model_type", "llama"},
       {"hidden_size", 2880},
       {"num_hidden_layers", 1},
       {"num_attention_heads", 64},
       {"num_key_value_heads", 8},
       {"head_dim", 64},
       {"intermediate_size", 2880},
       {"vocab_size", 201088},
       {"draft_vocab_size", 64000},
       {"eagle_config", {{"eagle_aux_hidden_state_layer_ids", {1, 46, 90, 91}}}}},
      [](const Json& document) {
        (void)read_draft_config({"some/draft", "config.json", document.dump()}, kClasses, "Eagle3");
      });
}

// Behind the engines of the fixture.
TEST(WrongTexts, OfPickersAreRefusedInOwnWords) {
  const std::string path = WARPLOOM_SOURCE_DIR "/tests/fixtures/manifests/llm_d_with_picker.yaml";
  const std::string text = read_file(path, 1 << 20);
  const std::string engines = text.substr(0, text.find("---\n") + 4);
  expect_own_words("endpoint picker",
                   {{"apiVersion", "inference.networking.x-k8s.io/v1alpha1"},
                    {"kind", "EndpointPickerConfig"},
                    {"plugins",
                     {{{"type", "queue-scorer"}},
                      {{"type", "prefix-cache-scorer"}, {"parameters", {{"hashBlockSize", 64}}}}}},
                    {"schedulingProfiles",
                     {{{"name", "default"},
                       {"plugins",
                        {{{"pluginRef", "queue-scorer"}, {"weight", 1.5}},
                         {{"pluginRef", "prefix-cache-scorer"}, {"weight", 4}}}}}}}},
                   [&](const Json& document) { (void)pasted_manifest(engines + document.dump()); });
}

// One flag a key, as in -cc.cudagraph_mode=NONE; what a value holds is not the program's.
TEST(WrongTexts, OfEntriesAreRefusedInOwnWords) {
  const std::string deep(300, '[');
  const std::pair<ApplyEntry, std::vector<const char*>> flags[] = {
      {apply_compilation_entry, {"cudagraph_mode", "max_cudagraph_capture_size", "cudagraph_capture_sizes"}},
      {apply_eplb_entry, {"num_redundant_experts", "policy"}},
      {apply_additional_entry, {"gdn_prefill_backend"}},
      {apply_speculative_entry, {"method", "model", "num_speculative_tokens"}}};
  for (const auto& [apply, keys] : flags)
    for (const char* key : keys) {
      ServingConfig config;
      EXPECT_THROW(apply(config, key, "\xFF", "--flag"), InvalidInput) << key;
      EXPECT_THROW(apply(config, key, deep + std::string(300, ']'), "--flag"), InvalidInput) << key;
    }
  ServingConfig config;
  EXPECT_THROW(apply_spec_method(config, "\xFF", "--flag"), InvalidInput);
  EXPECT_THROW(apply_spec_model(config, "\xFF", "--flag"), InvalidInput);
  EXPECT_THROW(apply_speculative_entry(config, "\xFF", "1", "--flag"), InvalidInput);
  EXPECT_THROW(apply_eplb_entry(config, "policy", deep, "--flag"), Unsupported);  // a text, no JSON
}

// Printing a value recurses over its levels: 500,000 of them left the stack.
TEST(WrongTexts, OfManyLevelsAreRefused) {
  constexpr std::size_t kLevels = 500'000;
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  ServingConfig config;
  for (const char* key : {"cudagraph_mode", "max_cudagraph_capture_size", "cudagraph_capture_sizes"})
    EXPECT_THROW(apply_compilation_config(config, "{\"" + std::string(key) + "\": " + deep + "}", "--flag"),
                 InvalidInput);
  for (const char* key : {"num_redundant_experts", "policy"})
    EXPECT_THROW(apply_eplb_config(config, "{\"" + std::string(key) + "\": " + deep + "}", "--flag"),
                 InvalidInput);
  for (const char* key : {"gdn_prefill_backend", "another"})
    EXPECT_THROW(apply_additional_config(config, "{\"" + std::string(key) + "\": " + deep + "}", "--flag"),
                 InvalidInput);
}

}  // namespace
}  // namespace warploom
