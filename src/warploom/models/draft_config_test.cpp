#include "warploom/models/draft_config.h"

#include <gtest/gtest.h>

#include <array>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::array<DraftClass, 3> kClasses{{{"LlamaForCausalLMEagle3", "LlamaForCausalLM"},
                                              {"Eagle3LlamaForCausalLM", "LlamaForCausalLM"},
                                              {"PEagleDraftModel", "", "it drafts in one pass"}}};

constexpr const char* kLayers = R"("model_type": "llama", "hidden_size": 2880, "num_hidden_layers": 1,
  "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880,
  "vocab_size": 201088)";

DraftDocument document(const std::string& text) { return {"some/draft", "config.json", text}; }

DraftConfig read(const std::string& text) { return read_draft_config(document(text), kClasses, "Eagle3"); }

std::string refusal_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DraftConfig, ReadsAHeadAsPublished) {
  const DraftConfig draft = read(std::string(R"({"architectures": ["LlamaForCausalLMEagle3"], )") + kLayers +
                                 R"(, "draft_vocab_size": 64000,
    "eagle_config": {"eagle_aux_hidden_state_layer_ids": [1, 46, 90, 91]}})");
  EXPECT_EQ(draft.model.hidden, 2880);
  EXPECT_EQ(draft.model.vocabulary, 64000);
  EXPECT_EQ(draft.read_vocabulary, 201088);
  EXPECT_EQ(draft.target_states, 4);
  EXPECT_EQ(draft.model.architecture, "LlamaForCausalLMEagle3");
}

// Engines put the method before the class of an ordinary model.
TEST(DraftConfig, ReadsTheClassOfAnOrdinaryModel) {
  const DraftConfig draft = read(std::string(R"({"architectures": ["LlamaForCausalLM"], )") + kLayers + "}");
  EXPECT_EQ(draft.model.layer_count(), 1);
  EXPECT_EQ(draft.target_states, 0);
  EXPECT_TRUE(draft.joins_states);
}

// As RedHatAI/gpt-oss-20b-speculator.eagle3 has it.
TEST(DraftConfig, UnfoldsTheFormatOfSpeculators) {
  const std::string text = std::string(R"({"architectures": ["Eagle3DraftModel"],
    "speculators_model_type": "eagle3", "draft_vocab_size": 64000, "target_hidden_size": null,
    "transformer_layer_config": {)") +
                           kLayers + R"(}, "speculators_config": {"algorithm": "eagle3",
    "proposal_methods": [{"proposal_type": "greedy", "speculative_tokens": 5}]}})";
  EXPECT_EQ(speculators_method(document(text)), "eagle3");
  EXPECT_EQ(draft_class(document(text)), "Eagle3LlamaForCausalLM");
  const DraftConfig draft = read(text);
  EXPECT_EQ(draft.model.vocabulary, 64000);
  EXPECT_EQ(draft.tokens, 5);
  EXPECT_FALSE(draft.samples_anchor);
}

TEST(DraftConfig, RefusesAClassByItsName) {
  const std::string p_eagle =
      refusal_of(std::string(R"({"architectures": ["PEagleDraftModel"], )") + kLayers + "}");
  EXPECT_NE(p_eagle.find("drafter PEagleDraftModel is not modelled: it drafts in one pass"),
            std::string::npos)
      << p_eagle;
  const std::string medusa =
      refusal_of(std::string(R"({"architectures": ["MedusaModel"], )") + kLayers + "}");
  EXPECT_NE(medusa.find("drafter MedusaModel is not known"), std::string::npos) << medusa;
  EXPECT_NE(refusal_of("[1]").find("is no JSON object"), std::string::npos);
  EXPECT_NE(refusal_of(R"({"speculators_model_type": "eagle3"})").find("transformer_layer_config"),
            std::string::npos);
}

// Every record reads, by its whole name and without its owner; a name that is none is nothing.
TEST(DraftConfig, RecordsAreFoundByName) {
  ASSERT_GE(draft_names().size(), 5U);
  for (const std::string& name : draft_names()) {
    const auto found = find_draft_document(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->name, name);
    EXPECT_FALSE(draft_class(*found).empty()) << name;
    EXPECT_TRUE(find_draft_document(name.substr(name.rfind('/') + 1)).has_value()) << name;
  }
  EXPECT_FALSE(find_draft_document("some/draft").has_value());
  EXPECT_FALSE(find_draft_document("").has_value());
  EXPECT_THROW(find_draft_document("./no_such.json", FileScope::machine()), IoError);
}

}  // namespace
}  // namespace warploom
