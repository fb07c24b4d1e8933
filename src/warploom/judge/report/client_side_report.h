// What `validate serving` says of a run that was measured at its clients: who measured it, how it is
// replayed, and what lies between the clients and the engine.
#pragma once

#include <string>

#include "warploom/app/runs/serving_validation.h"
#include "warploom/base/json.h"

namespace warploom {

// Two lines.
std::string client_side_text(const ClientSide& side);
// One line: the share of the way to the engine in the mean of `ttft`, which counts from the client.
std::string frontend_share_text(const ClientSide& side, const Comparison& ttft);
// {"generator", "layout", "replay", "max_concurrency", "failed", "unfinished", "warm_up", "frontend_source":
// "run_record" or "modelled", "frontend_latency_ms", "frontend_per_token_us", "mean_frontend_ms",
// "ttft_without_frontend": {"mean": {"measured_ms", "predicted_ms", "error", "bias"}, ...}}
Json client_side_json(const ClientSide& side);

}  // namespace warploom
