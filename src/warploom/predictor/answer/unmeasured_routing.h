// Mixtures of experts whose routing no public row has: priced between the routings that were measured.
#pragma once

#include <array>
#include <span>

#include "warploom/kernels/operator.h"
#include "warploom/predictor/answer/log_estimate.h"

namespace warploom {

// Whether the public rows lack the operator's routing, so that measured_routings stand in for it.
bool has_unmeasured_routing(const Operator& op);

// The operator with each routing of the public rows (AIConfigurator's; PipeWeave's are balanced).
std::array<FusedMoe, 3> measured_routings(const FusedMoe& op);

// The answer for one measured routing, and ln of its structural time in seconds.
struct RoutedAnswer {
  double log_base = 0;
  LogEstimate answer;
};

// The answer for a routing of structural time `log_base`: it times what the measured routings take over their
// own structural times. The nearer a measured routing's structural time, the more it counts. Interval and
// domain are those of the nearest, widened by how far the ratios lie apart. Routings outside of the trained
// domain count only where all are outside. `known` is not empty.
LogEstimate between_routings(double log_base, std::span<const RoutedAnswer> known);

}  // namespace warploom
