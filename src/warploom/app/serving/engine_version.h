// Which version of an engine is priced when a user names one.
#pragma once

#include <string>
#include <string_view>

#include "warploom/kernels/latency_model.h"
#include "warploom/serving/engines/engine_spec.h"

namespace warploom {

// The measured version of `framework` nearest to `version`, of two as near the older, when `version` itself
// never was measured; the newest for what is no release. Kernels of which that version has no rows take those
// of the version nearest to it (CellIndex). Empty when it was measured, when none is named, and where the
// model keeps no versions.
std::string version_used_instead(const LatencyModel& latency, std::string_view framework,
                                 std::string_view version);

// The version whose defaults are taken, where `version` is older than the engine's table or newer than the
// releases that it was read from; empty where the table reaches, and for what is no release.
std::string defaults_used_instead(const EngineSpec& engine, std::string_view version);

}  // namespace warploom
