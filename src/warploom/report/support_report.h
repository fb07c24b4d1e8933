// The support matrix as text and as JSON.
#pragma once

#include <span>
#include <string>

#include "warploom/app/plan/support_matrix.h"
#include "warploom/base/json.h"

namespace warploom {

std::string support_text(std::span<const SupportRow> rows);
// [{"model", "gpu", "engine", "tensor_parallel", "measured", "cross_gpu", "roofline", "tier",
// "refused"}]; tier
// is "measured" where `--require-tier measured` lets it through, else the tier of most of the time, null
// where
// it is refused.
Json support_json(std::span<const SupportRow> rows);

}  // namespace warploom
