// What `simulate` is asked, as a document that its JSON door takes.
#pragma once

#include "warploom/app/serving/simulate_request.h"
#include "warploom/base/json.h"

namespace warploom {

// Only what differs from the defaults. With prefill and decode apart, "setup" holds what command lines say of
// both pools: it is the decoding one with a single instance.
Json asked_run_json(const SimulateRequest& request);

}  // namespace warploom
