#include "warploom/report/curve_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "warploom/report/number_text.h"
#include "warploom/report/plan_front.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

// One list of the question: its column and its key.
struct Axis {
  std::string_view title, key;
  std::function<std::string(const CurvePlace&)> text;  // empty where the point does not say it
};

const std::vector<Axis>& all_axes() {
  static const std::vector<Axis> axes{
      {"engine", "engine", [](const CurvePlace& at) { return at.engine.value_or(""); }},
      {"weights", "quantization", [](const CurvePlace& at) { return at.quantization.value_or(""); }},
      {"tp", "tensor_parallel_size",
       [](const CurvePlace& at) { return at.tensor_parallel ? fmt::format("{}", *at.tensor_parallel) : ""; }},
      {"rate", "request_rate",
       [](const CurvePlace& at) { return at.rate ? fmt::format("{}", *at.rate) : ""; }},
      {"users", "max_concurrency",
       [](const CurvePlace& at) { return at.concurrency ? fmt::format("{}", *at.concurrency) : ""; }},
  };
  return axes;
}

std::vector<Axis> axes_of(const CurveResult& result) {
  std::vector<Axis> axes;
  for (const Axis& axis : all_axes())
    if (!result.points.empty() && !axis.text(result.points.front().place).empty()) axes.push_back(axis);
  return axes;
}

double milliseconds(Seconds time) { return time.value() * 1e3; }

std::string place_words(const CurvePlace& place) {
  std::vector<std::string> words;
  for (const Axis& axis : all_axes())
    if (const std::string text = axis.text(place); !text.empty())
      words.push_back(fmt::format("{} {}", axis.title, text));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> figure_cells(const ServingMetrics& metrics, double per_gpu, double per_user) {
  return {significant_text(metrics.output_throughput),
          significant_text(per_gpu),
          significant_text(per_user),
          significant_text(milliseconds(metrics.ttft.p50)),
          significant_text(milliseconds(metrics.ttft.p95)),
          significant_text(milliseconds(metrics.tpot.p50)),
          significant_text(milliseconds(metrics.tpot.p95))};
}

std::string measured_text(const CurveResult& result) {
  if (result.measured.empty()) return {};
  TextTable table(
      {{"measured, users"}, {"tok/s"}, {"/GPU"}, {"/user"}, {"TTFT50"}, {"TTFT95"}, {"TPOT50"}, {"TPOT95"}});
  std::string files;
  for (const MeasuredPoint& point : result.measured) {
    std::vector<std::string> cells{point.concurrency ? fmt::format("{}", *point.concurrency) : "-"};
    for (std::string& cell :
         figure_cells(point.metrics, point.tokens_per_s_per_gpu, point.tokens_per_s_per_user()))
      cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
    files += fmt::format("{} ({})\n", point.file, point.generator);
  }
  return "\n" + table.text() + "of " + files;
}

using Across = double (*)(const ServingMetrics&);

// Stars are points, dots are measured ones.
Plot plot_of(const CurveResult& result, Plot plot, bool per_gpu, Across x) {
  if (!result.measured.empty()) plot.mark = "simulated, . measured";
  for (const CurvePoint& point : result.points)
    plot.points.push_back({x(point.metrics),
                           per_gpu ? point.tokens_per_s_per_gpu() : point.metrics.output_throughput, true,
                           place_words(point.place)});
  for (const MeasuredPoint& point : result.measured)
    plot.points.push_back({x(point.metrics),
                           per_gpu ? point.tokens_per_s_per_gpu : point.metrics.output_throughput, false,
                           point.file});
  return plot;
}

std::vector<Plot> plots_of(const CurveResult& result) {
  const auto named = [](std::string title, std::string x, std::string y) {
    return Plot{
        .title = std::move(title), .x = std::move(x), .y = std::move(y), .points = {}, .mark = "simulated"};
  };
  return {
      plot_of(result, named("Throughput against time per output token", "TPOT p50 [ms]", "tokens/s"), false,
              [](const ServingMetrics& metrics) { return milliseconds(metrics.tpot.p50); }),
      plot_of(result, named("Throughput against time to first token", "TTFT p50 [ms]", "tokens/s"), false,
              [](const ServingMetrics& metrics) { return milliseconds(metrics.ttft.p50); }),
      plot_of(result, named("Throughput of a GPU against speed for a user", "tokens/s/user", "tokens/s/GPU"),
              true, [](const ServingMetrics& metrics) {
                return metrics.tpot.mean.value() > 0 ? 1 / metrics.tpot.mean.value() : 0;
              })};
}

Json point_json(const CurvePoint& point) {
  Json json = to_json(point.metrics);
  const CurvePlace& place = point.place;
  if (place.engine) json["engine"] = *place.engine;
  if (place.quantization) json["quantization"] = *place.quantization;
  if (place.tensor_parallel) json["tensor_parallel_size"] = *place.tensor_parallel;
  if (place.rate) json["request_rate"] = *place.rate;
  if (place.concurrency) json["max_concurrency"] = *place.concurrency;
  json["gpus"] = point.gpus;
  json["tier"] = name_of(point.tier);
  json["tokens_per_s_per_gpu"] = point.tokens_per_s_per_gpu();
  json["tokens_per_s_per_user"] = point.tokens_per_s_per_user();
  json["interval"] = nullptr;
  if (point.interval)
    json["interval"] = {{"low", to_json(point.interval->low)}, {"high", to_json(point.interval->high)}};
  return json;
}

std::string csv_of(const CurveResult& result) {
  const std::vector<Axis> axes = axes_of(result);
  std::string text;
  for (const Axis& axis : axes) text += fmt::format("{},", axis.key);
  text +=
      "gpus,output_throughput,tokens_per_s_per_gpu,tokens_per_s_per_user,mean_ttft_ms,"
      "p50_ttft_ms,p95_ttft_ms,mean_tpot_ms,p50_tpot_ms,p95_tpot_ms,p95_e2el_ms,tier\n";
  for (const CurvePoint& point : result.points) {
    for (const Axis& axis : axes) text += axis.text(point.place) + ",";
    const ServingMetrics& metrics = point.metrics;
    text += fmt::format("{},{},{},{}", point.gpus, metrics.output_throughput, point.tokens_per_s_per_gpu(),
                        point.tokens_per_s_per_user());
    for (const Seconds time : {metrics.ttft.mean, metrics.ttft.p50, metrics.ttft.p95, metrics.tpot.mean,
                               metrics.tpot.p50, metrics.tpot.p95, metrics.e2el.p95})
      text += fmt::format(",{}", milliseconds(time));
    text += fmt::format(",{}\n", name_of(point.tier));
  }
  return text;
}

}  // namespace

std::string curve_text(const CurveResult& result) {
  std::string text;
  if (result.partial())
    text = fmt::format("STOPPED EARLY: {} of {} points\n", result.points.size(), result.asked);
  if (result.points.empty()) return text;
  const CurvePoint& first = result.points.front();
  text += fmt::format("{} on {}\n{}; tokens/s of output, times in ms\n\n", first.model, first.gpu,
                      first.workload);
  std::vector<TableColumn> columns;
  const std::vector<Axis> axes = axes_of(result);
  for (const Axis& axis : axes) columns.push_back({std::string(axis.title)});
  for (const char* title : {"tok/s", "/GPU", "/user", "TTFT50", "TTFT95", "TPOT50", "TPOT95"})
    columns.push_back({title});
  TextTable table(std::move(columns));
  for (const CurvePoint& point : result.points) {
    std::vector<std::string> cells;
    for (const Axis& axis : axes) cells.push_back(axis.text(point.place));
    for (std::string& cell :
         figure_cells(point.metrics, point.tokens_per_s_per_gpu(), point.tokens_per_s_per_user()))
      cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
  }
  text += table.text() + measured_text(result);
  for (const Plot& plot : plots_of(result)) text += "\n" + plot_text(plot);
  return text;
}

Json curve_json(const CurveResult& result) {
  Json points = Json::array(), measured = Json::array();
  for (const CurvePoint& point : result.points) points.push_back(point_json(point));
  for (const MeasuredPoint& point : result.measured) {
    Json json = to_json(point.metrics);
    json["file"] = point.file;
    json["generator"] = point.generator;
    json["max_concurrency"] = point.concurrency ? Json(*point.concurrency) : Json();
    json["tokens_per_s_per_gpu"] = point.tokens_per_s_per_gpu;
    json["tokens_per_s_per_user"] = point.tokens_per_s_per_user();
    measured.push_back(std::move(json));
  }
  Json document{
      {"points", std::move(points)}, {"measured", std::move(measured)}, {"partial", result.partial()}};
  if (result.points.empty()) return document;
  document["model"] = result.points.front().model;
  document["gpu"] = result.points.front().gpu;
  document["workload"] = result.points.front().workload;
  return document;
}

std::string curve_view(const CurveResult& result, std::string_view view) {
  return view == "csv" ? csv_of(result) : plots_svg(plots_of(result));
}

}  // namespace warploom
