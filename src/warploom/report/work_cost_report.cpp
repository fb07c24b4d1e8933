#include "warploom/report/work_cost_report.h"

#include <nlohmann/json.hpp>

namespace warploom {

Json work_cost_json(const WorkCost& cost) {
  return {{"training_s", cost.seconds},
          {"training_cpu_s", cost.cpu_seconds},
          {"training_peak_bytes", cost.peak_bytes}};
}

}  // namespace warploom
