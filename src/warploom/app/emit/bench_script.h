// The plan's own load as a benchmark that checks a deployment.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/emit/emitted_file.h"
#include "warploom/app/emit/emitted_fleet.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// bench.sh, against BASE_URL in the environment, http://localhost:8000 by default, after requests that warm
// it up. Random prompts are drawn by `vllm bench serve`; all other loads are written as load.jsonl, request
// for request in Mooncake's layout, and sent by AIPerf. Throws Unsupported on random lengths that neither
// draws.
std::vector<EmittedFile> bench_script(const PlanRequest& request, const PlanResult& plan,
                                      const EmittedFleet& fleet);

// Requests as lines of Mooncake's layout: timestamps in ms unless the loop is closed, lengths, blocks of 512
// tokens that prompts share, and for later turns their session, the delay, and what they add to the turns
// before.
std::string mooncake_trace(const Workload& workload);

}  // namespace warploom
