// A manifest as what `simulate` is asked.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/json.h"
#include "warploom/manifests/files/manifest.h"

namespace warploom {

struct ManifestSetup {
  Json setup = Json::object();          // of the only pool, else what pools share
  std::optional<Json> prefill, decode;  // setups of pools apart
  Json router = Json::object();         // fields of FleetRules
  std::vector<std::string> left_out;    // what has no effect on time, or is not known
};

// Pools that are started alike are one. Throws InvalidInput with the place on GPUs that are fewer than an
// instance takes, on engines that are not alike and not pools of one deployment, and on a pool without the
// other; what parse_engine_command throws.
ManifestSetup manifest_setup(const Manifest& manifest, SetupUse use);

}  // namespace warploom
