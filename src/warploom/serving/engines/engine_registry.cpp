#include "warploom/serving/engines/engine_registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {

// Each is defined in the file of its name.
extern const EngineSpec kVllmEngine, kSglangEngine, kTrtllmEngine;

namespace {

constexpr std::array<const EngineSpec*, 3> kEngines{&kVllmEngine, &kSglangEngine, &kTrtllmEngine};

}  // namespace

std::span<const EngineSpec* const> all_engines() { return kEngines; }

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineSpec* engine : kEngines) names.emplace_back(engine->name);
  return names;
}

const EngineSpec* find_engine(std::string_view name) {
  for (const EngineSpec* engine : kEngines)
    if (engine->name == name) return engine;
  return nullptr;
}

const EngineSpec& engine_named(std::string_view name) {
  if (const EngineSpec* engine = find_engine(name)) return *engine;
  const auto names = engine_names();
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos && find_engine(name.substr(0, colon)) != nullptr)
    throw NotFound(fmt::format("engine: '{}' names a version, expected {} with `engine_version` {}", name,
                               name.substr(0, colon), name.substr(colon + 1)));
  throw NotFound(fmt::format("engine: '{}' is not known, expected one of: {}{}", name, fmt::join(names, ", "),
                             did_you_mean(name, names)));
}

}  // namespace warploom
