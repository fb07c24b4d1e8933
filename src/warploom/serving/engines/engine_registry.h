// Every engine that can be simulated, by name: the one place to add another.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/serving/engines/engine_spec.h"

namespace warploom {

std::span<const EngineSpec* const> all_engines();
std::vector<std::string> engine_names();

// nullptr when there is none of that name.
const EngineSpec* find_engine(std::string_view name);
// Throws NotFound with the nearest names.
const EngineSpec& engine_named(std::string_view name);

}  // namespace warploom
