// Listings of models.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/predict/list_models.h"
#include "warploom/base/json.h"

namespace warploom {

std::string model_list_text(const std::vector<ModelListing>& models);
// {"models": [{"name", "aliases", "architecture", "layers", "parameters", "active_parameters",
// "weight_bytes", "kv_bytes_per_token", "source"}]}
Json model_list_json(const std::vector<ModelListing>& models);

}  // namespace warploom
