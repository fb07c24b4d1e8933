#include "warploom/predictor/answer/known_scales.h"

#include <algorithm>

#include "warploom/kernels/row_passes.h"
#include "warploom/kernels/widen.h"

namespace warploom {

std::optional<Quantize> held_pass(const Operator& op, const CellIndex::Found& found) {
  const auto* product = std::get_if<Gemm>(&op);
  if (product == nullptr || product->scheme != MatmulScheme::Fp8Static) return {};
  if (found.cell == nullptr || found.kind == kind_code(op) || found.near.scheme != MatmulScheme::Fp8)
    return {};
  return Quantize{.target = DataType::Fp8, .rows = product->m, .width = product->k, .dynamic = true};
}

LatencyEstimate likely_pass(LatencyEstimate pass, const LatencyEstimate& row) {
  constexpr double kAlike = 1.6;  // far_answers_test.cpp: 95 of 100 pairs of measured products
  const double share = std::min(1.0, (1 - 1 / kAlike) * (row.p50 / pass.p50));
  pass.p10 = share * pass.p10;
  pass.p50 = share * pass.p50;
  pass.p90 = share * pass.p90;
  return pass;
}

void take_off(LatencyEstimate& estimate, const LatencyEstimate& pass) {
  const Seconds bound = estimate.physical_bound;
  const Seconds below = estimate.p50 - estimate.p10, above = estimate.p90 - estimate.p50;
  estimate.p50 = without_passes(estimate, pass.p50);
  estimate.p10 = std::max(bound, estimate.p50 - below);
  estimate.p90 = estimate.p50 + above;
  widen_by(estimate, pass.p50 - pass.p10, pass.p90 - pass.p50);
}

}  // namespace warploom
