#include "warploom/predictor/answer/estimate_one.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/base/version.h"
#include "warploom/predictor/answer/adapted_estimate.h"
#include "warploom/predictor/answer/cross_estimate.h"
#include "warploom/predictor/answer/doubt.h"
#include "warploom/predictor/answer/kernel_call.h"
#include "warploom/predictor/answer/known_scales.h"
#include "warploom/predictor/answer/log_estimate.h"
#include "warploom/predictor/answer/measured_estimate.h"
#include "warploom/predictor/answer/stand_ins.h"
#include "warploom/predictor/answer/unmeasured_routing.h"
#include "warploom/predictor/features/features.h"

namespace warploom {

namespace {

// s; more than the largest operators take on the smallest GPU.
constexpr double kLongestAnswer = 1e18;

[[noreturn]] void refuse_answer(double seconds) {
  throw Unsupported(
      fmt::format("prediction: a time of {} s, expected a finite one below {:g} s: the operator is "
                  "outside of what is modelled",
                  seconds, kLongestAnswer));
}

}  // namespace

LatencyEstimate finish_estimate(const PhysicalBound& limit, const LogEstimate& answer, Tier tier) {
  const double bound = limit.time.value();
  const double p50 = std::max(std::exp(answer.log_p50), bound);
  const double p10 = std::clamp(p50 * std::exp(answer.low), bound, p50);
  const double p90 = p50 * std::exp(std::max(answer.high, 0.0));
  if (!(p10 > 0 && p90 < kLongestAnswer)) refuse_answer(p50);
  LatencyEstimate result;
  result.tier = tier;
  result.extrapolated = answer.extrapolated;
  result.physical_bound = limit.time;
  result.bound = limit.bound;
  result.p50 = Seconds(p50);
  result.p10 = Seconds(p10);
  result.p90 = Seconds(p90);
  return result;
}

namespace {

// The kernel of the cell that was found; where another GPU's cell stands in, the caller's names and version
// go before the cell's, since what a call does changes with them.
ContextKernel meant_kernel(const LoadedFamily& family, const CellIndex::Found& found,
                           const KernelContext& context) {
  const auto named = [&](const KernelContext& names) {
    return ContextKernel(names).asked_as(context.as_collected);
  };
  if (found.cell == nullptr) return named(context);
  if (found.measured) return family.kernel(*found.cell).asked_as(context.as_collected);
  const ContextRecord& at = family.model.contexts[found.cell->context];
  const bool other_kernel = !context.kernel.empty() && at.kernel != context.kernel;
  if (other_kernel) return named(context);
  if (context.version.empty() || at.version == context.version)
    return family.kernel(*found.cell).asked_as(context.as_collected);
  return named({at.framework, context.version, at.kernel});
}

// The number of the GPU whose rows were found, among those learned from; -1: none.
int number_of(const CellIndex::Found& found) {
  return found.cell != nullptr && found.measured && found.cell->gpu != CellRecord::kAnyGpu
             ? int(found.cell->gpu)
             : -1;
}

// From the cell that was found. `row` holds the call's features.
LogEstimate estimate_found(const LoadedFamily& family, const CellIndex::Found& found, const KernelCall& call,
                           OperatorFeatures& row) {
  if (const int adapted = family.adapted_index(call.gpu); adapted >= 0)
    return adapted_estimate(family, std::size_t(adapted), found.measured ? found.cell : nullptr, call, row);
  if (!found.measured) return cross_estimate(family, call, row, -1, &found);
  row.log_base = log_base_with(found.cell->overhead, row);
  return interpolated_estimate(family, call.op, *found.cell, row);
}

// The same for experts whose routing was not measured.
LogEstimate estimate_routed(const LoadedFamily& family, const CellIndex::Found& found, const KernelCall& call,
                            const OperatorFeatures& row) {
  const std::array<FusedMoe, 3> routings = measured_routings(std::get<FusedMoe>(call.op));
  std::array<RoutedAnswer, 3> known;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Operator routed = routings[i];
    OperatorFeatures near;
    family.features_on(call.gpu, number_of(found), routed, call.kernel, near);
    known[i].log_base = log_base_with(found.cell->overhead, near);
    const KernelCall of_routing{routed, call.gpu, call.context, call.kind, call.kernel};
    const RoutingLoad load = near.routing;
    known[i].answer = estimate_found(family, found, of_routing, near);
    known[i].contradicted = is_contradicted(known[i].answer.log_p50, routings[i], load, call.gpu);
  }
  return between_routings(log_base_with(found.cell->overhead, row), known);
}

LatencyEstimate answer_by(const LoadedFamily& family, const CellIndex::Found& found, const Operator& op,
                          const GpuSpec& gpu, const KernelContext& context) {
  const bool other_scales = found.cell != nullptr && found.kind != kind_code(op);
  std::optional<Operator> other;
  if (other_scales) other = restated(op, *found.near.scheme);
  const Operator& asked = other ? *other : op;
  const ContextKernel kernel = meant_kernel(family, found, context);
  OperatorFeatures row;
  family.features_on(gpu, number_of(found), asked, kernel, row);
  const PhysicalBound limit = physical_bound(op, gpu, row.routing, operands_of(kernel));
  if (found.cell == nullptr)
    return finish_estimate(limit, {row.log_base, -kUnlearnedHalfWidth, kUnlearnedHalfWidth}, Tier::Roofline);
  const bool other_routing = has_unmeasured_routing(asked);
  const KernelCall call{asked, gpu, context, found.kind, kernel};
  LogEstimate answer =
      other_routing ? estimate_routed(family, found, call, row) : estimate_found(family, found, call, row);
  answer.add_cold(row.cold);
  if (other_scales) answer.doubt(doubt_of_other_scales(family.model.family, found.near.other_scales));
  if (found.other_engine) answer.doubt(doubt_of_other_engine(family.model.family));
  if (const double doubt = doubt_of_version(family, found, context); doubt > 0) answer.doubt(doubt);
  LatencyEstimate result = finish_estimate(limit, answer, found.measured ? Tier::Measured : Tier::CrossGpu);
  result.stands_in = found.measured && (other_scales || found.other_engine || other_routing);
  result.extrapolated = result.extrapolated || (result.stands_in && other_scales);
  return result;
}

FoundAnswer nearest_answer(const LoadedFamily& family, const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context) {
  FoundAnswer answer{family.index.find(gpu, context, op), {}};
  answer.estimate = answer_by(family, answer.found, op, gpu, context);
  if (!answer.estimate.extrapolated) return answer;
  const CellIndex::Found instead = family.index.instead_of(answer.found, gpu, context, op);
  if (instead.cell == nullptr) return answer;
  return {instead, answer_by(family, instead, op, gpu, context)};
}

// The nearest kernel's, unless the engine's newer one takes less even with the host's part of an eager call.
FoundAnswer best_answer(const LoadedFamily& family, const Operator& op, const GpuSpec& gpu,
                        const KernelContext& context) {
  const FoundAnswer nearest = nearest_answer(family, op, gpu, context);
  const CellIndex::Found eager = family.index.newer_eager(nearest.found, gpu, context, kind_code(op));
  if (eager.cell == nullptr) return nearest;
  const ContextRecord& at = family.model.contexts[eager.cell->context];
  const KernelContext named{at.framework, at.version, at.kernel, context.as_collected};
  const FoundAnswer newer{eager, answer_by(family, eager, op, gpu, named)};
  const bool farther = newer.estimate.extrapolated && !nearest.estimate.extrapolated;
  return !farther && newer.estimate.p50 < nearest.estimate.p50 ? newer : nearest;
}

}  // namespace

double doubt_of_version(const LoadedFamily& family, const CellIndex::Found& found,
                        const KernelContext& context) {
  if (!found.measured || found.other_engine || version_position(context.version) < 0) return 0;
  const ContextRecord& at = family.model.contexts[found.cell->context];
  const bool other = at.framework == context.framework && compare_versions(at.version, context.version) != 0;
  return other ? doubt_of_other_version(family.model.family) : 0;
}

FoundAnswer estimate_one(const FamilyLookup& families, const Operator& op, const GpuSpec& gpu,
                         const KernelContext& context) {
  const LoadedFamily* family = families[std::size_t(family_of(op))].get();
  if (family == nullptr) {
    const ContextKernel kernel = ContextKernel().asked_as(context.as_collected);
    OperatorFeatures row;
    compute_features(op, gpu, kernel, default_constants(family_of(op)), row);
    return {{},
            finish_estimate(physical_bound(op, gpu, row.routing, operands_of(kernel)),
                            {row.log_base, -kUnlearnedHalfWidth, kUnlearnedHalfWidth}, Tier::Roofline)};
  }
  if (const StandIn* stand_in = stand_in_for(op, context)) {
    FoundAnswer answer = estimate_one(families, op, gpu, {.framework = stand_in->instead});
    mark_stand_in(*stand_in, answer.estimate);
    return answer;
  }
  FoundAnswer answer = best_answer(*family, op, gpu, context);
  if (const std::optional<Quantize> pass = held_pass(op, answer.found)) {
    const KernelContext engine{.framework = family->model.contexts[answer.found.cell->context].framework};
    const FoundAnswer price = estimate_one(families, *pass, gpu, engine);
    if (price.found.cell != nullptr && !price.found.other_engine)
      take_off(answer.estimate,
               answer.found.measured ? price.estimate : likely_pass(price.estimate, answer.estimate));
  }
  return answer;
}

}  // namespace warploom
