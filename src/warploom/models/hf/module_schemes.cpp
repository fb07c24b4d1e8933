#include "warploom/models/hf/module_schemes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

// Where the layers of a language model stand in checkpoints.
constexpr std::array<std::string_view, 5> kPrefixes{"model.layers.", "language_model.model.layers.",
                                                    "model.language_model.layers.", "backbone.layers.",
                                                    "layers."};

struct LayerName {
  std::int64_t layer = 0;
  std::string_view part;    // the first component below the layer; empty where the name is a whole layer's
  std::string_view within;  // the path below the part
};

// Absent: the name is of no layer, or of several.
std::optional<LayerName> layer_name_of(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    LayerName result;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), result.layer);
    if (error != std::errc() || (end != rest.data() + rest.size() && *end != '.')) return std::nullopt;
    const std::string_view path = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (path.size() < 2) return result;
    result.part = path.substr(1, path.find('.', 1) - 1);
    result.within = path.substr(std::min(path.size(), result.part.size() + 2));
    return result;
  }
  return std::nullopt;
}

bool is_pattern(std::string_view name) {
  return name.starts_with("re:") || name.find('*') != std::string_view::npos;
}

}  // namespace

void ModuleTable::add(const std::string& name, std::size_t number, std::string_view where) {
  names_.push_back(name);
  if (is_pattern(name))
    patterns_.emplace_back(ModulePattern(name, where), number);
  else
    plain_.emplace(name, number);
}

std::optional<std::size_t> ModuleTable::find(std::string_view path) const {
  for (std::size_t first = 0; !plain_.empty() && first != std::string_view::npos;) {
    for (std::size_t end = path.find('.', first);; end = path.find('.', end + 1)) {
      const auto found = plain_.find(path.substr(first, end == std::string_view::npos ? end : end - first));
      if (found != plain_.end()) return found->second;
      if (end == std::string_view::npos) break;
    }
    const std::size_t dot = path.find('.', first);
    first = dot == std::string_view::npos ? dot : dot + 1;
  }
  for (const auto& [pattern, number] : patterns_)
    if (pattern.matches(path)) return number;
  return std::nullopt;
}

void ModuleSchemes::name(const std::string& module, const StoredScheme& scheme, std::string_view where) {
  const auto known = std::find(schemes_.begin(), schemes_.end(), scheme);
  const std::size_t number = static_cast<std::size_t>(known - schemes_.begin());
  if (known == schemes_.end()) schemes_.push_back(scheme);
  named_.add(module, number, where);
}

void ModuleSchemes::exclude(const std::vector<std::string>& modules, std::string_view where) {
  for (const std::string& module : modules) excluded_.add(module, 0, where);
}

std::optional<StoredScheme> ModuleSchemes::of(std::int64_t layer, std::string_view module) const {
  if (named_.names().empty() && excluded_.names().empty()) return usual_;
  std::array<std::string, kPrefixes.size()> paths;
  for (std::size_t i = 0; i < paths.size(); ++i)
    paths[i] = fmt::format("{}{}.{}", kPrefixes[i], layer, module);
  const auto is_excluded = [this](const std::string& path) { return excluded_.find(path).has_value(); };
  if (std::any_of(paths.begin(), paths.end(), is_excluded)) return std::nullopt;
  for (const std::string& path : paths)
    if (const auto number = named_.find(path)) return schemes_[*number];
  return usual_;
}

namespace {

void check_within(const LayerPart& part, const LayerName& name, std::string_view text,
                  std::string_view where) {
  const std::string_view unknown = unknown_module(part, name.within);
  if (unknown.empty()) return;
  constexpr std::size_t kExamples = 4;
  const std::vector<std::string> words = module_words(part);
  throw InvalidInput(
      fmt::format("{}: the quantisation names '{}', and no module '{}' is in {} of any layer{}; "
                  "expected one such as {}",
                  where, text, unknown, part.name, did_you_mean(unknown, words),
                  fmt::join(std::span(words).first(kExamples), ", ")));
}

}  // namespace

std::vector<std::string> ModuleSchemes::check_names(std::int64_t layers, std::span<const LayerPart> parts,
                                                    std::string_view where) const {
  std::vector<std::string> unknown, part_names;
  for (const LayerPart& part : parts) part_names.push_back(part.name);
  const auto check = [&](const std::string& name, bool must_be_known) {
    if (is_pattern(name)) return;
    const auto of_layer = layer_name_of(name);
    if (!of_layer) return;
    if (of_layer->layer >= layers)
      throw InvalidInput(fmt::format("{}: the quantisation names '{}', expected a layer from 0 to {}", where,
                                     name, layers - 1));
    if (of_layer->part.empty()) return;
    const auto known = std::find(part_names.begin(), part_names.end(), of_layer->part);
    if (known != part_names.end())
      return check_within(parts[std::size_t(known - part_names.begin())], *of_layer, name, where);
    const std::string near = did_you_mean(of_layer->part, part_names);
    if (must_be_known || !near.empty())
      throw InvalidInput(
          fmt::format("{}: the quantisation names '{}', a module that is not there{}; expected "
                      "{} below a layer",
                      where, name, near, fmt::join(part_names, ", ")));
    const std::string part(of_layer->part);
    if (!is_small_module(part) && std::find(unknown.begin(), unknown.end(), part) == unknown.end())
      unknown.push_back(part);
  };
  for (const std::string& name : named_.names()) check(name, true);
  for (const std::string& name : excluded_.names()) check(name, false);
  return unknown;
}

}  // namespace warploom
