#include "warploom/report/prediction_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/kernels/operator_json.h"
#include "warploom/report/number_text.h"

namespace warploom {

std::string estimate_text(const LatencyEstimate& estimate) {
  return fmt::format("{}  ({} .. {}), limited by {}, tier {}{}", duration_text(estimate.p50),
                     duration_text(estimate.p10), duration_text(estimate.p90), name_of(estimate.bound),
                     name_of(estimate.tier), estimate.extrapolated ? ", outside the measured domain" : "");
}

Json operator_document(const Operator& op) { return operator_to_json(op); }

Json estimate_json(const LatencyEstimate& estimate) {
  return {{"p10_us", to_microseconds(estimate.p10)},
          {"p50_us", to_microseconds(estimate.p50)},
          {"p90_us", to_microseconds(estimate.p90)},
          {"physical_bound_us", to_microseconds(estimate.physical_bound)},
          {"bound", name_of(estimate.bound)},
          {"tier", name_of(estimate.tier)},
          {"extrapolated", estimate.extrapolated}};
}

}  // namespace warploom
