// EAGLE-3: one dense layer that reads the embedding beside a state joined of several of the target's layers,
// and an lm_head of its own, mostly over fewer tokens.
#include <algorithm>
#include <array>

#include "warploom/serving/speculation/draft_method.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 2> kSpellings{"eagle3", "eagle3_one_model"};
constexpr std::string_view kParallel = "it drafts all tokens in one pass (P-EAGLE)";
constexpr std::array<DraftClass, 11> kClasses{{{"LlamaForCausalLMEagle3", "LlamaForCausalLM"},
                                               {"Eagle3LlamaForCausalLM", "LlamaForCausalLM"},
                                               {"Eagle3MiniMaxM2ForCausalLM", "LlamaForCausalLM"},
                                               {"Eagle3Qwen2_5vlForCausalLM", "LlamaForCausalLM"},
                                               {"Eagle3Qwen3vlForCausalLM", "LlamaForCausalLM"},
                                               {"Eagle3Qwen3ForCausalLM", "Qwen3ForCausalLM"},
                                               {"Eagle3DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM"},
                                               {"Eagle3DeepseekV3ForCausalLM", "DeepseekV3ForCausalLM"},
                                               {"PEagleDraftModel", "", kParallel},
                                               {"PeagleLlamaForCausalLM", "", kParallel},
                                               {"PeagleQwen3ForCausalLM", "", kParallel}}};

// Where no config.json is known: draft_vocab_size of published heads
// (yuhuili/EAGLE3-LLaMA3.1-Instruct-8B) and what those who train them take by default (sgl-project/SpecForge,
// configs/*eagle3.json).
constexpr std::int64_t kUsualVocabulary = 32000;
// Layers of the target whose states are read where the config.json lists no others
// (vllm/model_executor/models/llama_eagle3.py).
constexpr std::int64_t kUsualStates = 3;

// The first layer reads embeddings too (llama_eagle3.py, deepseek_eagle3.py).
void read_embeddings(ModelArchitecture& model) {
  LayerGroup first = model.layers.front();
  first.count = 1;
  if (auto* attention = std::get_if<Attention>(&first.mixer)) attention->reads_embeddings = true;
  if (auto* latent = std::get_if<LatentAttention>(&first.mixer)) latent->reads_embeddings = true;
  if (--model.layers.front().count == 0) model.layers.erase(model.layers.begin());
  model.layers.insert(model.layers.begin(), first);
}

Drafter usual_drafter(const ModelArchitecture& target) {
  Drafter drafter = one_layer_of(target, "eagle3", dense_last_layer(target));
  drafter.model.vocabulary = std::min(target.vocabulary, kUsualVocabulary);
  drafter.model.tie_embeddings = false;
  drafter.fusion.width = kUsualStates * target.hidden;
  return drafter;
}

// Its MLP is dense whatever its config says of experts (deepseek_eagle3.py).
Drafter own_drafter(const DraftConfig& own, const ModelArchitecture& target) {
  Drafter drafter = drafter_of(own, target, own.target_states > 0 ? own.target_states : kUsualStates);
  for (LayerGroup& group : drafter.model.layers)
    if (group.mixture() != nullptr) group.feed_forward = dense_beside_experts(drafter.model);
  if (!own.joins_states) drafter.fusion.width = 0;
  return drafter;
}

Drafter eagle3_drafter(const DrafterSource& source) {
  Drafter drafter =
      source.own != nullptr ? own_drafter(*source.own, source.target) : usual_drafter(source.target);
  read_embeddings(drafter.model);
  drafter.own_lm_head = true;
  return drafter;
}

}  // namespace

extern constinit const DraftMethod kEagle3Method{.name = "eagle3",
                                                 .spellings = kSpellings,
                                                 .in_name = "eagle3",
                                                 .classes = kClasses,
                                                 .class_prefix = "Eagle3",
                                                 .drafter = eagle3_drafter};

}  // namespace warploom
