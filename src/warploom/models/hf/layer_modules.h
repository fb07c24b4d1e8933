// Private to the module: the modules of a layer that say how each of its groups of matrices is stored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/module_words.h"

namespace warploom {

// Paths below the layer. A part that the layer has not is empty.
struct LayerModuleNames {
  LayerModuleNames(const LayerGroup& layer, const HfFamily& family);
  // Adds the first components of all of them to `parts`, and what is in them.
  void add_parts(std::vector<LayerPart>& parts) const;

  std::vector<std::string> mixer_input, mixer_output, mlp, experts, shared_experts;
};

}  // namespace warploom
