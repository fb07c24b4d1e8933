// Listings of models.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/predict/list_models.h"
#include "warploom/base/json.h"

namespace warploom {

// One row for each model; of a single one also its notes and where its kernels were measured.
std::string model_list_text(const std::vector<ModelListing>& models);
// {"models": [{"name", "aliases", "architecture", "layers", "parameters", "active_parameters",
// "weight_bytes", "kv_bytes_per_token", "source", "notes",
// "blocks": [{"block", "operator", "measured_on"}]}]}
Json model_list_json(const std::vector<ModelListing>& models);

}  // namespace warploom
