// Private to the module: which architectures are read, which are refused and why.
#pragma once

#include <string_view>

#include "warploom/models/hf/config_values.h"
#include "warploom/models/hf/hf_family.h"

namespace warploom {

// Throws Unsupported for an architecture or a feature of the config that is not modelled, InvalidInput when
// the config names no architecture.
const HfFamily& family_of_config(const ConfigValues& config, const ConfigValues& text,
                                 std::string_view architecture);

}  // namespace warploom
