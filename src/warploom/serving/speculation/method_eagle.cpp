// EAGLE: one dense layer over the target's last states and the token's embedding, with the target's lm_head.
#include <array>

#include "warploom/serving/speculation/draft_method.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 2> kSpellings{"eagle", "eagle2"};
constexpr std::string_view kSpecial = "its layers are not read";
constexpr std::array<DraftClass, 9> kClasses{{{"EagleLlamaForCausalLM", "LlamaForCausalLM"},
                                              {"EagleMistralForCausalLM", "MistralForCausalLM"},
                                              {"LlamaForCausalLMEagle", "LlamaForCausalLM"},
                                              {"MistralForCausalLMEagle", "MistralForCausalLM"},
                                              {"Qwen2ForCausalLMEagle", "Qwen2ForCausalLM"},
                                              {"EagleLlama4ForCausalLM", "", kSpecial},
                                              {"EagleMiniCPMForCausalLM", "", kSpecial},
                                              {"EagleCohereForCausalLM", "", kSpecial},
                                              {"EagleMistralLarge3ForCausalLM", "", kSpecial}}};

Drafter eagle_drafter(const DrafterSource& source) {
  const ModelArchitecture& target = source.target;
  Drafter drafter = source.own != nullptr ? drafter_of(*source.own, target, 1)
                                          : one_layer_of(target, "eagle", dense_last_layer(target));
  // The hidden state and the embedding.
  drafter.fusion = {.width = 2 * drafter.model.hidden, .every_pass = true};
  return drafter;
}

}  // namespace

extern constinit const DraftMethod kEagleMethod{.name = "eagle",
                                                .spellings = kSpellings,
                                                .in_name = "eagle",
                                                .classes = kClasses,
                                                .class_prefix = "Eagle",
                                                .drafter = eagle_drafter};

}  // namespace warploom
