#include "warploom/report/tune_staircase.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

constexpr double kWidth = 900, kHeight = 420, kMargin = 60;
constexpr std::size_t kBar = 40;

struct Frame {
  double most_m, most_us;
  double x(double m) const {
    return kMargin + (kWidth - 2 * kMargin) * std::log(m) / std::log(std::max(2.0, most_m));
  }
  double y(double us) const { return kHeight - kMargin - (kHeight - 2 * kMargin) * us / most_us; }
};

std::string line_of(const Frame& frame, const std::vector<StaircasePoint>& points, bool chosen) {
  std::string path;
  for (const StaircasePoint& point : points)
    path += fmt::format("{:.1f},{:.1f} ", frame.x(double(point.shape.m)),
                        frame.y(chosen ? double(point.chosen.predicted_us) : point.default_us));
  return path;
}

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

std::string staircase_html(const RuntimeTable& table, const std::vector<StaircasePoint>& points,
                           const std::vector<TileSample>& measured) {
  Frame frame{2, 1e-9};
  for (const StaircasePoint& point : points) {
    frame.most_m = std::max(frame.most_m, double(point.shape.m));
    frame.most_us = std::max({frame.most_us, double(point.chosen.predicted_us), point.default_us});
  }
  std::string dots;
  for (const TileSample& sample : measured) {
    if (double(sample.shape.m) > frame.most_m || sample.median_us > frame.most_us) continue;
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#c33\"/>\n",
                        frame.x(double(sample.shape.m)), frame.y(sample.median_us));
  }
  return fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>wave staircase</title>\n"
      "<svg viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<text x=\"{}\" y=\"20\">Time of {} on {} as m grows to {:.0f}, up to {:.1f} us. Grey: default {}. "
      "Blue: chosen. Red: measured.</text>\n"
      "<polyline fill=\"none\" stroke=\"#999\" points=\"{}\"/>\n"
      "<polyline fill=\"none\" stroke=\"#26c\" stroke-width=\"2\" points=\"{}\"/>\n{}</svg>\n",
      kWidth, kHeight, kMargin, name_of(table.kernel().kind), table.gpu().name, frame.most_m, frame.most_us,
      config_text(table.default_config()), line_of(frame, points, false), line_of(frame, points, true), dots);
}

}  // namespace warploom
