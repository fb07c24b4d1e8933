// A curve as a table with plots, as JSON, as CSV and as SVG.
#pragma once

#include <string>
#include <string_view>

#include "warploom/app/runs/curve.h"
#include "warploom/base/json.h"

namespace warploom {

// A row a point, measured ones below; then throughput against TPOT and against TTFT, and tokens/s/GPU against
// tokens/s/user.
std::string curve_text(const CurveResult& result);
// {"points": [...], "measured": [...], "partial"}: figures have the keys of `vllm bench serve`.
Json curve_json(const CurveResult& result);
// "csv": the same points, a line each; "svg": the plots.
std::string curve_view(const CurveResult& result, std::string_view view);

}  // namespace warploom
