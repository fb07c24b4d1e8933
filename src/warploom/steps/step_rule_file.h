// Reads the files of data/steps (docs/formats.md, `warploom_step_rules`).
#pragma once

#include <string_view>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/steps/step_rule.h"

namespace warploom {

// The rules of one file. Throws InvalidInput, with the place in `where`, on an unknown or missing key, rule,
// constant or size, a constant of another unit or without a source, a GPU or engine that is not known, a rule
// that stands twice; Unsupported on a file of a newer format.
std::vector<StepRule> step_rules_from_json(const Json& document, std::string_view where,
                                           const GpuCatalog& gpus);

}  // namespace warploom
