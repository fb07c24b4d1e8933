// Mixtures of experts whose routing no public row has: priced between the routings that were measured.
#pragma once

#include <array>
#include <span>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"
#include "warploom/kernels/routing_load.h"
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
  // It is shorter than memory needs for the weights of the experts that this routing hits, so its rows were
  // given another routing than they say: vLLM 0.25's balanced rows of 256 experts read half of them.
  bool contradicted = false;
};

// Whether `log_p50`, ln of seconds, is a time in which no memory brings the weights that `op` touches, but
// for what the L2 may hold of them.
bool is_contradicted(double log_p50, const FusedMoe& op, const RoutingLoad& load, const GpuSpec& gpu);

// The answer for a routing of structural time `log_base`: it times what the measured routings take over their
// own structural times. The nearer a measured routing's structural time, the more it counts. Interval and
// domain are those of the nearest, widened by how far the ratios lie apart. Routings that are contradicted or
// outside of the trained domain count only where all are. `known` is not empty.
LogEstimate between_routings(double log_base, std::span<const RoutedAnswer> known);

}  // namespace warploom
