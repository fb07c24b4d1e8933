// What a start line says, as fields of a request.
#pragma once

#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/json.h"

namespace warploom {

// The fields of `config` that an engine's start command said, as it would be asked for them: those that
// differ from the defaults, without those that bear on nothing that `use` asks.
Json started_fields(const ServingConfig& config, SetupUse use);

}  // namespace warploom
