// Published benchmarks at fixed concurrency against simulated ones: the documents of `validate concurrency`.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/judge/validate/concurrency_validation.h"

namespace warploom {

std::string concurrency_validation_text(const ConcurrencyValidation& validation);
// {"rows", "dropped": [{"reason", "rows"}], "exclusions": [{"rule", "kind", "judges", "rows", "reason",
// "source", "errors": E or null}], "corrections": {"rows", "reason"}, "fits": [{"name", "fitted", "figures",
// "everywhere", "cells", "source"}], "cells": [{..., "ttft_error", "tpot_error"}], "other_cells": [the same],
// "overall": E, "backends": {B: E}, "models": {M: E}, "gpus": {G: E}, and the documents of the same four keys
// "with_excluded" (everything that can be simulated on one engine under the checkpoint it names, every figure
// of it), "fitted", "check", "disaggregated", "speculative" (the rows that no fit of drafts saw) and
// "assumed_checkpoint"}, "speculation": {"rule", "sweeps": [{"name", "drafts", "acceptance_length", "rows":
// [{"id", "concurrency", "plain_ratio", "fitted"}]}]}, with E = {"cells",
// "ttft_median_error", "tpot_median_error", "ttft_p90_error", "tpot_p90_error", "ttft_bias", "tpot_bias",
// "ttft_cells"}; "cells" counts TPOT, "ttft_cells" TTFT; biases are medians; null where there is no cell.
// TTFT is the client's, a cell's "predicted_engine_ttft_ms" that from the engine's queue. Where commands are
// asked for, a cell has "simulate", what that request is asked for the same run, or null and in "not_asked"
// what no field of it says.
Json concurrency_validation_json(const ConcurrencyValidation& validation);

}  // namespace warploom
