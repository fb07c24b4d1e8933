// What `tune fit` says of a table of the published wave model.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/judge/wavetune/tune_fit_wavetune.h"

namespace warploom {

// As tune_fit_text and tune_fit_json have it of ours.
std::string wavetune_fit_text(const WaveTuneFitResult& fit);
// {"method", "kernel", "kind", "gpu", "macro_configs", "left_out", "samples", "anchors", "buckets",
// "median_r_squared", "default", "fit_seconds"}; anchors are the samples that the fit used.
Json wavetune_fit_json(const WaveTuneFitResult& fit);

}  // namespace warploom
