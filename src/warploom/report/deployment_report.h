// What a run says beyond latency and throughput, where it has it: pools, transfers, drafts, tiers, failures,
// energy.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/report/simulation_report.h"

namespace warploom {

// "1 x h100_sxm", or "prefill 2 x h200_sxm + decode 1 x 4 x h100_sxm".
std::string hardware_text(const RunLabel& label);
// A few lines, or nothing.
std::string extras_text(const RunLabel& label, const SimulationResult& result);
// The keys that simulation_json promises.
void add_extras(Json& document, const RunLabel& label, const SimulationResult& result);

}  // namespace warploom
