// What several draws of one load, by seeds that follow each other, say of a deployment. A single draw has
// luck of its own: where its figure is beside a limit, the next seed decides otherwise.
//
// The rule: a limit is kept where the mean of its figure over the draws is within it, and so is that mean's
// end that nine in ten such sets of draws do not exceed: mean + t * s / sqrt(n), by Student's t with the
// deviation s between draws, which are independent (Law, "Simulation Modeling and Analysis", replications).
// At most kMostBehind of the draws may fall behind their load.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warploom/planner/configuration_model.h"
#include "warploom/planner/plan_task.h"

namespace warploom {

// The test of one run finds growth where there is none in one of 200, and so in one of 40 sets of five. What
// collapses in a draw exceeds its limits there by so much that the mean does. Chosen, not fitted.
inline constexpr double kMostBehind = 0.2;

// Whether one draw leaves open if the level is kept: its interval holds every limit that it does not surely
// keep, or it is so short that it has none and is beyond no limit by more than kOpenBeyond of it; or it
// falls behind its load though hardly anything piles up.
inline constexpr double kOpenBeyond = 0.25;
bool is_open(const PlanTask& task, const RunFigures& figures, bool sure);

struct DrawnFleet {
  const Configuration& configuration;
  const Fleet& fleet;
  RunQuestion question;
  std::size_t threads = 1;  // runs at once
};
// Its runs under every draw of the load: the first one, which may be known already, and others as long as it
// is, whatever comes of them.
std::vector<RunFigures> runs_of_draws(const PlanTask& task, const ConfigurationModel& model,
                                      const DrawnFleet& asked,
                                      std::optional<RunFigures> first = std::nullopt);

// Runs of one fleet, a draw each. At least two.
LoadSpread spread_of(const PlanTask& task, std::span<const RunFigures> draws);

// Whether the rule is kept.
bool meets_over_draws(const PlanTask& task, std::span<const RunFigures> draws);

// Above this value of Student's t lies a tenth. `freedom` >= 1.
double student_t90(std::size_t freedom);

}  // namespace warploom
