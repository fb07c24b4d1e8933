#include "warploom/judge/report/comparison_json.h"

#include <nlohmann/json.hpp>

namespace warploom {

Json comparison_json(const Comparison& figure, const std::string& suffix) {
  return {{"measured" + suffix, figure.measured},
          {"predicted" + suffix, figure.predicted},
          {"error", figure.error()},
          {"bias", figure.bias()}};
}

Json metrics_json(const std::vector<ServingFigure>& figures) {
  Json metrics = Json::object();
  for (const ServingFigure& row : figures)
    metrics[row.metric][row.statistic] = comparison_json(row.figure, "_ms");
  return metrics;
}

}  // namespace warploom
