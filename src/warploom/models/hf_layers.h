// Private to the module: which kind each layer of a config is.
#pragma once

#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/config_values.h"
#include "warploom/models/hf_families.h"

namespace warploom {

// One entry per layer, without quantisation. Sets sliding_window of `model` where layers have one.
std::vector<LayerGroup> layers_of_config(const ConfigValues& text, ModelFamily family,
                                         ModelArchitecture& model);

}  // namespace warploom
