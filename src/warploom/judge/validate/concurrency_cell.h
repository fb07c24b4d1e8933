// One published benchmark at fixed concurrency, simulated.
#pragma once

#include <memory>
#include <optional>

#include "warploom/judge/validate/concurrency_exclusions.h"
#include "warploom/judge/validate/concurrency_request.h"
#include "warploom/judge/validate/concurrency_validation.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/models/model_catalog.h"

namespace warploom {

// The row as a closed loop: one pool of one engine, or prefill and decode apart with as many engines as it
// states, round robin, caches sent after the prefill over the path that kv_transfer_of finds: what `simulate`
// answers to the question that ConcurrencyCell::asked holds. `drafts`: of an
// engine that speculates, by the checkpoint's own prediction layer where it has one, else by an EAGLE layer.
// Throws what names, models, sharding and memory throw.
ConcurrencyCell simulate_row(const ConcurrencyTruth& row, const ModelCatalog& catalog,
                             const ValidateConcurrencyRequest& validation,
                             const std::shared_ptr<const LatencyModel>& latency,
                             const std::optional<AssumedDrafts>& drafts = {});

}  // namespace warploom
