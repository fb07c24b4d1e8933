#include "warploom/predictor/answer/unmeasured_routing.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/bound_limit.h"
#include "warploom/kernels/placed_routing.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

// ln; structural times as near as this are alike, and count alike.
constexpr double kAlikeTimes = 0.02;
// The exponents of the public rows.
constexpr std::array<double, 2> kMeasuredAlphas{1.01, 1.2};

}  // namespace

bool has_unmeasured_routing(const Operator& op) {
  const auto* moe = std::get_if<FusedMoe>(&op);
  return moe != nullptr && (moe->routing == RoutingKind::Uniform || is_placed(*moe));
}

std::array<FusedMoe, 3> measured_routings(const FusedMoe& op) {
  FusedMoe in_order = op;
  // Ranks hold as many experts as they do, where they would not without replicas.
  if (op.experts % op.expert_parallel != 0) in_order.experts += op.redundant_experts;
  in_order.redundant_experts = 0, in_order.placement_groups = 0, in_order.placement_nodes = 1;
  std::array<FusedMoe, 3> routed{in_order, in_order, in_order};
  routed[0].routing = RoutingKind::Balanced;
  routed[0].routing_alpha = 0;
  for (std::size_t i = 0; i < kMeasuredAlphas.size(); ++i) {
    routed[i + 1].routing = RoutingKind::PowerLaw;
    routed[i + 1].routing_alpha = kMeasuredAlphas[i];
  }
  return routed;
}

bool is_contradicted(double log_p50, const FusedMoe& op, const RoutingLoad& load, const GpuSpec& gpu) {
  const double forced = bytes_beyond(moe_work(op, load).weight_bytes.value(), gpu.l2_capacity.value());
  return std::exp(log_p50) * gpu.memory_bandwidth.value() < forced;
}

LogEstimate between_routings(double log_base, std::span<const RoutedAnswer> known) {
  const auto distance = [&](const RoutedAnswer& routed) { return std::abs(routed.log_base - log_base); };
  const auto sound = [](const RoutedAnswer& routed) {
    return !routed.contradicted && !routed.answer.extrapolated;
  };
  const bool any_sound = std::any_of(known.begin(), known.end(), sound);
  const auto counts = [&](const RoutedAnswer& routed) { return !any_sound || sound(routed); };
  const RoutedAnswer* nearest = nullptr;
  double weights = 0, ratios = 0, squares = 0;  // of ln(time / structural time)
  for (const RoutedAnswer& routed : known) {
    if (!counts(routed)) continue;
    if (nearest == nullptr || distance(routed) < distance(*nearest)) nearest = &routed;
    const double ratio = routed.answer.log_p50 - routed.log_base;
    const double weight = 1 / (distance(routed) * distance(routed) + kAlikeTimes * kAlikeTimes);
    weights += weight;
    ratios += weight * ratio;
    squares += weight * ratio * ratio;
  }
  const double ratio = ratios / weights;
  LogEstimate answer = nearest->answer;
  answer.log_p50 = log_base + ratio;
  answer.doubt(std::sqrt(std::max(0.0, squares / weights - ratio * ratio)));
  return answer;
}

}  // namespace warploom
