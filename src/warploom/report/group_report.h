// A run by class of service and by tenant, for people and for programs.
#pragma once

#include <span>
#include <string>

#include "warploom/app/serving/group_figures.h"
#include "warploom/base/json.h"

namespace warploom {

// Empty without groups.
std::string group_text(std::span<const GroupFigures> groups);
// {"slo_class": {NAME: {...}}, "tenant": {...}}
Json group_json(std::span<const GroupFigures> groups);

}  // namespace warploom
