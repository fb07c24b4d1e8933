// Use case `validate concurrency`: published benchmarks that keep a fixed number of requests in flight.
#pragma once

#include <memory>

#include "warploom/judge/validate/concurrency_request.h"
#include "warploom/judge/validate/concurrency_validation.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Every row as a closed loop of its concurrency N, all N at the start, ten N requests, engine and lengths as
// launch_of says; TTFT and TPOT are the means over requests. Kernels, host constants and scheduler are those
// of the row's backend. Rows that a rule of data/benchmarks takes out are simulated too, where they can be,
// and reported apart. The result does not depend on the threads. Throws InvalidInput when no row is left.
ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request,
                                           const std::shared_ptr<const LatencyModel>& latency);
ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request);

}  // namespace warploom
