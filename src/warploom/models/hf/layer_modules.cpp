#include "warploom/models/hf/layer_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warploom {
namespace {

// With the family's name for the first component.
std::string renamed(std::string_view module, std::string_view path) {
  if (path.empty()) return std::string(module);
  return fmt::format("{}{}", path, module.substr(module.find('.')));
}

}  // namespace

LayerModuleNames::LayerModuleNames(const LayerGroup& layer, const HfFamily& family) {
  const LayerModules modules = std::visit([](const auto& mixer) { return mixer.modules(); }, layer.mixer);
  if (std::holds_alternative<GatedDeltaNet>(layer.mixer)) {
    mixer_input.emplace_back(family.linear_attention_module);
  } else {
    for (const std::string_view module : modules.input)
      mixer_input.push_back(renamed(module, family.mixer_path));
  }
  if (!modules.input.empty()) mixer_output.push_back(renamed(modules.output, family.mixer_path));
  const MixtureOfExperts* mixture = layer.mixture();
  const bool dense = std::holds_alternative<DenseMlp>(layer.feed_forward);
  if (dense || (mixture != nullptr && mixture->mlp_intermediate > 0)) mlp.emplace_back(family.mlp_module);
  if (mixture == nullptr) return;
  experts.emplace_back(family.experts_module);
  shared_experts.emplace_back(family.shared_experts_module);
}

void LayerModuleNames::add_parts(std::vector<LayerPart>& parts) const {
  const auto add = [&parts](const std::vector<std::string>& modules, bool LayerPart::*holds) {
    for (const std::string& module : modules) {
      const std::string name = module.substr(0, module.find('.'));
      auto part = std::find_if(parts.begin(), parts.end(),
                               [&](const LayerPart& known) { return known.name == name; });
      if (part == parts.end()) part = parts.insert(part, LayerPart{.name = name});
      (*part).*holds = true;
    }
  };
  for (const auto* group : {&mixer_input, &mixer_output}) add(*group, &LayerPart::mixes);
  for (const auto* group : {&mlp, &experts, &shared_experts}) add(*group, &LayerPart::feeds);
}

}  // namespace warploom
