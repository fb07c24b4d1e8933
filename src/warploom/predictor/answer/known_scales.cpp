#include "warploom/predictor/answer/known_scales.h"

#include <algorithm>

namespace warploom {

std::optional<Quantize> held_pass(const Operator& op, const CellIndex::Found& found) {
  const auto* product = std::get_if<Gemm>(&op);
  if (product == nullptr || product->scheme != MatmulScheme::Fp8Static || !found.measured) return {};
  if (found.kind == kind_code(op) || found.near.scheme != MatmulScheme::Fp8) return {};
  return Quantize{.target = DataType::Fp8, .rows = product->m, .width = product->k, .dynamic = true};
}

void take_off(LatencyEstimate& estimate, const LatencyEstimate& pass) {
  const Seconds bound = estimate.physical_bound;
  estimate.p50 = std::max(bound, estimate.p50 - pass.p50);
  estimate.p10 = std::clamp(estimate.p10 - pass.p50, bound, estimate.p50);
  estimate.p90 = std::max(estimate.p90 - pass.p50, estimate.p50);
}

}  // namespace warploom
