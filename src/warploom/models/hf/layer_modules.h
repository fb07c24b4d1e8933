// Private to the module: the modules of a layer that say how each of its groups of matrices is stored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/hf/hf_family.h"

namespace warploom {

// Paths below the layer. A part that the layer has not is empty.
struct LayerModuleNames {
  LayerModuleNames(const LayerGroup& layer, const HfFamily& family);
  // The first components of all of them that `parts` has not yet.
  void add_parts(std::vector<std::string>& parts) const;

  std::vector<std::string> mixer_input, mixer_output, mlp, experts, shared_experts;
};

}  // namespace warploom
