// Private to the module: how each module of a checkpoint is stored, by the names in its lists.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warploom/models/hf/module_pattern.h"
#include "warploom/models/hf/module_words.h"
#include "warploom/models/hf/stored_scheme.h"

namespace warploom {

// Names and patterns of modules, each with a number. A plain name is found in O(components of the path
// squared), whatever the number of names.
class ModuleTable {
 public:
  // Throws InvalidInput on an invalid expression.
  void add(const std::string& name, std::size_t number, std::string_view where);
  // The number of the first name that matches the path or a module around it.
  std::optional<std::size_t> find(std::string_view path) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> plain_;
  std::vector<std::pair<ModulePattern, std::size_t>> patterns_;
};

class ModuleSchemes {
 public:
  // What modules have that no list names; without it they keep the model's own type.
  void set_usual(const StoredScheme& scheme) { usual_ = scheme; }
  const std::optional<StoredScheme>& usual() const { return usual_; }
  void name(const std::string& module, const StoredScheme& scheme, std::string_view where);
  void exclude(const std::vector<std::string>& modules, std::string_view where);
  const std::vector<StoredScheme>& named_schemes() const { return schemes_; }

  // The scheme of a module of layer `layer`, by its path below the layer ("self_attn.q_proj"). Absent: the
  // model's own type.
  std::optional<StoredScheme> of(std::int64_t layer, std::string_view module) const;

  // Refuses names of layers beyond the last, of modules that none of `parts` may hold, and of parts of a
  // layer that are none of these: a named scheme must have a known one, an excluded name is refused where it
  // is nearly one. Throws InvalidInput. Returns the other excluded parts but norms, routers and scales, each
  // once.
  std::vector<std::string> check_names(std::int64_t layers, std::span<const LayerPart> parts,
                                       std::string_view where) const;

 private:
  std::optional<StoredScheme> usual_;
  std::vector<StoredScheme> schemes_;
  ModuleTable named_, excluded_;
};

}  // namespace warploom
