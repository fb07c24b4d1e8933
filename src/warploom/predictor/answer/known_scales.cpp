#include "warploom/predictor/answer/known_scales.h"

#include <algorithm>
#include <optional>

namespace warploom {
namespace {

// The pass that the row behind an answer holds and the operator does not; nothing where they quantise alike.
std::optional<Quantize> held_pass(const Operator& op, const CellIndex::Found& found) {
  const auto* product = std::get_if<Gemm>(&op);
  if (product == nullptr || product->scheme != MatmulScheme::Fp8Static || found.cell == nullptr) return {};
  if (found.kind == kind_code(op) || found.near.scheme != MatmulScheme::Fp8) return {};
  return Quantize{.target = DataType::Fp8, .rows = product->m, .width = product->k, .dynamic = true};
}

}  // namespace

void take_off_scaling(const FamilyLookup& families, const Operator& op, const GpuSpec& gpu,
                      FoundAnswer& answer) {
  const std::optional<Quantize> pass = held_pass(op, answer.found);
  if (!pass) return;
  const FamilyModel& model = families[std::size_t(family_of(op))]->model;
  const ContextRecord& row = model.contexts[answer.found.cell->context];
  const FoundAnswer price = estimate_one(families, *pass, gpu, {.framework = row.framework});
  if (price.found.cell == nullptr || price.found.other_engine) return;
  LatencyEstimate& estimate = answer.estimate;
  const Seconds bound = estimate.physical_bound, off = price.estimate.p50;
  estimate.p50 = std::max(bound, estimate.p50 - off);
  estimate.p10 = std::clamp(estimate.p10 - off, bound, estimate.p50);
  estimate.p90 = std::max(estimate.p90 - off, estimate.p50);
}

}  // namespace warploom
