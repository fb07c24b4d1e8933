#include "warploom/report/tune_staircase.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

constexpr std::size_t kBar = 40;

}  // namespace

std::string staircase_text(const RuntimeTable& table, const std::vector<StaircasePoint>& points) {
  double most = 1e-9;
  for (const StaircasePoint& point : points) most = std::max(most, double(point.chosen.predicted_us));
  TextTable rows(
      {{"m"}, {"chosen [us]"}, {"default [us]"}, {"configuration", Align::Left}, {"", Align::Left}});
  for (const StaircasePoint& point : points) {
    const double us = double(point.chosen.predicted_us);
    const auto length = static_cast<std::size_t>(std::ceil(double(kBar) * us / most));
    rows.add_row({std::to_string(point.shape.m), fixed_text(us, 2), fixed_text(point.default_us, 2),
                  config_text(point.chosen.config), std::string(length, '#')});
  }
  return fmt::format("{} on {}, tier {}, default {}\n\n{}", table.kernel().name, table.gpu().name,
                     name_of(table.tier()), config_text(table.default_config()), rows.text());
}

Json tune_show_json(const TuneShowResult& result) {
  const RuntimeTable& table = result.table;
  Json points = Json::array(), measured = Json::array();
  for (const StaircasePoint& point : result.points)
    points.push_back({{"m", point.shape.m},
                      {"chosen_us", point.chosen.predicted_us},
                      {"default_us", point.default_us},
                      {"config", config_text(point.chosen.config)}});
  for (const TileSample& sample : result.measured)
    measured.push_back(
        {{"m", sample.shape.m}, {"config", config_text(sample.config)}, {"time_us", sample.median_us}});
  return {{"kernel", table.kernel().name},
          {"kind", name_of(table.kernel().kind)},
          {"gpu", table.gpu().name},
          {"tier", name_of(table.tier())},
          {"default", config_text(table.default_config())},
          {"n", result.n},
          {"k", result.k},
          {"points", std::move(points)},
          {"measured", std::move(measured)}};
}

}  // namespace warploom
