// What a run says of its deployment, beyond latency and throughput: pools, transfers between them, drafts, KV
// tiers, failures, energy.
#pragma once

#include <string>

#include "warploom/app/serving/run_label.h"
#include "warploom/base/json.h"
#include "warploom/serving/simulation_result.h"

namespace warploom {

// "1 x h100_sxm", or "prefill 2 x h200_sxm + decode 1 x 4 x h100_sxm".
std::string hardware_text(const RunLabel& label);
// A few lines, or nothing.
std::string deployment_text(const RunLabel& label, const SimulationResult& result);
// The keys that simulation_json promises.
void add_deployment(Json& document, const RunLabel& label, const SimulationResult& result);

}  // namespace warploom
