// Private to the module: names of modules that a checkpoint leaves unquantised.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace warploom {

// "re:<expression>" matches from the start of the module's path; a text with '*' is a glob over the module or
// any module around it; any other text matches the modules whose dotted path contains it.
class ModulePattern {
 public:
  // Throws InvalidInput on an invalid expression. `where` names the source.
  ModulePattern(const std::string& text, std::string_view where);
  // `module` is a path such as "model.layers.3.self_attn.q_proj".
  bool matches(std::string_view module) const;

 private:
  std::string text_;
  bool glob_ = false;
  std::optional<std::regex> expression_;
};

}  // namespace warploom
