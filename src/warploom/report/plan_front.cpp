#include "warploom/report/plan_front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/report/markup_text.h"
#include "warploom/report/number_text.h"
#include "warploom/report/plan_words.h"

namespace warploom {
namespace {

struct Range {
  double low = 0, high = 1;
  double place(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

template <class Value>
Range range_of(const Plot& plot, Value value) {
  Range range{value(plot.points.front()), value(plot.points.front())};
  for (const PlotPoint& point : plot.points) {
    range.low = std::min(range.low, value(point));
    range.high = std::max(range.high, value(point));
  }
  return range;
}

Range x_range(const Plot& plot) {
  return range_of(plot, [](const PlotPoint& point) { return point.x; });
}
Range y_range(const Plot& plot) {
  return range_of(plot, [](const PlotPoint& point) { return point.y; });
}

bool contains(const std::vector<std::size_t>& list, std::size_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

template <class X, class Y>
Plot plot_of(const PlanResult& plan, const std::vector<std::size_t>& front, Plot plot, X x, Y y) {
  for (std::size_t i = 0; i < plan.search.points.size(); ++i) {
    const PlanPoint& point = plan.search.points[i];
    if (!point.median_least) continue;
    plot.points.push_back({x(point), y(point), contains(front, i),
                           deployment_words(plan.labels[i], point.configuration, point.fleet)});
  }
  return plot;
}

constexpr double kWidth = 640, kHeight = 360, kLeft = 80, kTop = 40, kRight = 20, kBottom = 50;  // px

std::string svg_of(const Plot& plot, double top) {
  const Range x = x_range(plot), y = y_range(plot);
  const auto across = [&](double value) { return kLeft + x.place(value) * (kWidth - kLeft - kRight); };
  const auto down = [&](double value) {
    return top + kHeight - kBottom - y.place(value) * (kHeight - kTop - kBottom);
  };
  std::string text = fmt::format("<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n", kLeft, top + 20,
                                 markup_text(plot.title));
  text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
                      kLeft, top + kTop, kWidth - kLeft - kRight, kHeight - kTop - kBottom);
  text += fmt::format("<text x=\"{}\" y=\"{}\">{}: {} to {}</text>\n", kLeft, top + kHeight - 20,
                      markup_text(plot.x), significant_text(x.low), significant_text(x.high));
  text += fmt::format("<text x=\"10\" y=\"{0}\" transform=\"rotate(-90 20,{0})\">{1}: {2} to {3}</text>\n",
                      top + kHeight - kBottom, markup_text(plot.y), significant_text(y.low),
                      significant_text(y.high));
  std::vector<PlotPoint> front;
  for (const PlotPoint& point : plot.points) {
    text += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>\n",
        across(point.x), down(point.y), point.on_front ? "#c22" : "#99b", markup_text(point.name));
    if (point.on_front) front.push_back(point);
  }
  std::sort(front.begin(), front.end(), [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  text += "<polyline fill=\"none\" stroke=\"#c22\" points=\"";
  for (const PlotPoint& point : front) text += fmt::format("{:.1f},{:.1f} ", across(point.x), down(point.y));
  return text + "\"/>\n";
}

}  // namespace

Plot speed_plot(const PlanResult& plan) {
  return plot_of(
      plan, plan.search.speed_front,
      {.title = "Speed: throughput of a GPU against speed for a user",
       .x = "tokens/s/user",
       .y = "tokens/s/GPU",
       .points = {}},
      [](const PlanPoint& point) { return point.tokens_per_s_per_user; },
      [](const PlanPoint& point) { return point.tokens_per_s_per_gpu; });
}

Plot cost_plot(const PlanResult& plan) {
  return plot_of(
      plan, plan.search.cost_front,
      {.title = "Cost: price of output tokens against time to the first one",
       .x = "TTFT p95 [ms]",
       .y = plan.priced ? "$/M output tokens" : "GPU hours/M output tokens",
       .points = {}},
      [](const PlanPoint& point) { return to_milliseconds(point.figures.metrics.ttft.p95); },
      [](const PlanPoint& point) { return point.dollars_per_million_output; });
}

std::string plot_text(const Plot& plot) {
  constexpr std::size_t kColumns = 60, kRows = 12;
  if (plot.points.empty()) return {};
  const Range x = x_range(plot), y = y_range(plot);
  std::vector<std::string> rows(kRows, std::string(kColumns, ' '));
  for (const bool front : {false, true})
    for (const PlotPoint& point : plot.points) {
      if (point.on_front != front) continue;
      const auto column = std::size_t(std::lround(x.place(point.x) * double(kColumns - 1)));
      const auto row = kRows - 1 - std::size_t(std::lround(y.place(point.y) * double(kRows - 1)));
      rows[row][column] = front ? '*' : '.';
    }
  std::string text = fmt::format("{} (* {})\n{}, {} to {}\n", plot.title, plot.mark, plot.y,
                                 significant_text(y.low), significant_text(y.high));
  for (std::string& row : rows) {
    row.erase(row.find_last_not_of(' ') + 1);
    text += "  |" + row + "\n";
  }
  return text + fmt::format("  +{}\n   {}, {} to {}\n", std::string(kColumns, '-'), plot.x,
                            significant_text(x.low), significant_text(x.high));
}

std::string plots_svg(const std::vector<Plot>& plots) {
  std::string body;
  double top = 0;
  for (const Plot& plot : plots) {
    if (plot.points.empty()) continue;
    body += svg_of(plot, top);
    top += kHeight;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n{2}</svg>\n",
      kWidth, std::max(top, kHeight), body);
}

}  // namespace warploom
