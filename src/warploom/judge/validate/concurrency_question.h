// What `simulate` is asked to answer a row of a published benchmark, so that what is judged is what is
// answered.
#pragma once

#include <optional>
#include <string>

#include "warploom/app/serving/simulate_request.h"
#include "warploom/judge/validate/concurrency_launch.h"
#include "warploom/judge/validate/concurrency_request.h"
#include "warploom/judge/validate/concurrency_truth.h"
#include "warploom/models/model_catalog.h"

namespace warploom {

// An engine, or the engines of one pool, of a row.
struct AskedEngines {
  ServingSetupRequest setup;    // as `simulate` takes it, as far as it has fields for it
  ModelArchitecture model;      // what the row ran
  Sharding sharding;            // and how it was spread
  std::string without_a_field;  // what `setup` cannot say of the two; empty: it says all
};

// `pool` of the launch at `place` of the row, so many instances. Throws what names, models and sharding
// throw.
AskedEngines asked_engines(const ConcurrencyTruth& row, const ConcurrencyLaunch& launch,
                           const LaunchedPool& pool, const StatedPlace& place, std::int64_t instances,
                           const std::optional<AssumedCheckpoint>& assumed,
                           const ValidateConcurrencyRequest& validation, const ModelCatalog& catalog);

// The load of the row: ten requests for each slot, as the load generators of these benchmarks send them.
WorkloadRequestSource asked_load(const ConcurrencyTruth& row, double range_ratio, std::uint64_t seed);

}  // namespace warploom
