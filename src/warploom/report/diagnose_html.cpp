// Rooflines as plain SVG: a panel for each pipeline that feeds the SMs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/report/diagnose_report.h"
#include "warploom/report/markup_text.h"
#include "warploom/report/number_text.h"

namespace warploom {
namespace {

constexpr double kWidth = 560, kHeight = 360, kMargin = 50;
constexpr std::size_t kMostPoints = 2000;
constexpr const char* kColours[] = {"#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e",
                                    "#e6ab02", "#a6761d", "#666666", "#1f78b4"};

const char* colour_of(Cause cause) { return kColours[std::size_t(cause) % std::size(kColours)]; }

struct Pipeline {
  const char* name;
  double PipelineDemand::*bytes;
  double bandwidth;  // B/s
};

std::vector<Pipeline> pipelines_of(const GpuSpec& gpu) {
  return {{"dram", &PipelineDemand::dram_bytes, gpu.memory_bandwidth.value()},
          {"l2", &PipelineDemand::l2_bytes, gpu.l2_bandwidth.value()},
          {"shared", &PipelineDemand::shared_bytes, gpu.shared_bytes_per_clock * gpu.sm_cycles_per_second()},
          {"network", &PipelineDemand::network_bytes,
           std::max(gpu.link_bandwidth.value(), gpu.pcie_bandwidth.value())}};
}

struct Point {
  double intensity = 0, rate = 0, ceiling = 0, share = 0;  // FLOP/B, FLOP/s, FLOP/s, of the time
  const DiagnosedKernel* kernel = nullptr;
};

std::vector<Point> points_of(const Diagnosis& diagnosis, const Pipeline& pipeline) {
  std::vector<Point> points;
  for (const DiagnosedKernel& kernel : diagnosis.kernels) {
    const double bytes = kernel.demand.*pipeline.bytes, flop = kernel.useful_flop;
    if (bytes <= 0 || flop <= 0 || points.size() == kMostPoints) continue;
    points.push_back({.intensity = flop / bytes,
                      .rate = flop / kernel.actual.value(),
                      .ceiling = flop / kernel.ceiling.time.value(),
                      .share = kernel.actual.value() * kernel.calls / diagnosis.time.value(),
                      .kernel = &kernel});
  }
  return points;
}

// Logarithmic axes over whole decades.
struct Frame {
  double x0, x1, y0, y1;
  double x(double v) const { return kMargin + (kWidth - 2 * kMargin) * (std::log10(v) - x0) / (x1 - x0); }
  double y(double v) const {
    return kHeight - kMargin - (kHeight - 2 * kMargin) * (std::log10(v) - y0) / (y1 - y0);
  }
};

Frame frame_of(const std::vector<Point>& points, double peak) {
  Frame frame{1e9, -1e9, 1e9, std::ceil(std::log10(peak))};
  for (const Point& point : points) {
    frame.x0 = std::min(frame.x0, std::floor(std::log10(point.intensity)));
    frame.x1 = std::max(frame.x1, std::ceil(std::log10(point.intensity)) + 1);
    frame.y0 = std::min(frame.y0, std::floor(std::log10(point.rate)));
  }
  frame.y0 = std::min(frame.y0, frame.y1 - 2);
  return frame;
}

std::string axes(const Frame& frame) {
  std::string out;
  for (double d = frame.x0; d <= frame.x1; ++d)
    out += fmt::format(
        "<line class=\"g\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" "
        "y=\"{3}\" text-anchor=\"middle\">1e{4:.0f}</text>\n",
        frame.x(std::pow(10, d)), kMargin, kHeight - kMargin, kHeight - kMargin + 16, d);
  for (double d = frame.y0; d <= frame.y1; ++d)
    out += fmt::format(
        "<line class=\"g\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" "
        "y=\"{2:.1f}\" text-anchor=\"end\">1e{4:.0f}</text>\n",
        kMargin, kWidth - kMargin, frame.y(std::pow(10, d)), kMargin - 4, d);
  return out;
}

std::string panel(const Diagnosis& diagnosis, const Pipeline& pipeline) {
  const std::vector<Point> points = points_of(diagnosis, pipeline);
  if (points.empty() || pipeline.bandwidth <= 0) return {};
  const GpuSpec& gpu = diagnosis.spec;
  const TensorRates& rates = gpu.tensor_rates;
  const double peak =
      std::max(gpu.tensor_rate(std::max({rates.fp4, rates.fp8, rates.fp16})).value(), gpu.fma_rate().value());
  const Frame frame = frame_of(points, peak);
  const auto roof = [&](double limit, const char* name) {
    if (limit <= 0) return std::string();
    const double ridge =
        std::clamp(limit / pipeline.bandwidth, std::pow(10, frame.x0), std::pow(10, frame.x1));
    const double start = std::max(std::pow(10, frame.x0), std::pow(10, frame.y0) / pipeline.bandwidth);
    return fmt::format(
        "<polyline class=\"r\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"/><text x=\"{:.1f}\" "
        "y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        frame.x(start), frame.y(std::min(limit, start * pipeline.bandwidth)), frame.x(ridge),
        frame.y(std::min(limit, ridge * pipeline.bandwidth)), frame.x(std::pow(10, frame.x1)), frame.y(limit),
        kWidth - kMargin, frame.y(limit) - 4, name);
  };
  std::string svg =
      fmt::format("<h3>{}</h3>\n<svg width=\"{}\" height=\"{}\">\n", pipeline.name, kWidth, kHeight);
  svg += axes(frame) + roof(gpu.fma_rate().value(), "fma") +
         roof(gpu.tensor_rate(rates.fp16).value(), "fp16") + roof(gpu.tensor_rate(rates.fp8).value(), "fp8");
  for (const Point& point : points)
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/><circle "
        "cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{4:.1f}\" fill=\"{3}\"><title>{5}: {6}, ceiling {7}, "
        "{8}</title></circle>\n",
        frame.x(point.intensity), frame.y(point.rate), frame.y(std::max(point.ceiling, point.rate)),
        colour_of(point.kernel->cause()), 2 + 12 * std::sqrt(std::min(1.0, point.share)),
        markup_text(point.kernel->label), duration_text(point.kernel->actual),
        duration_text(point.kernel->ceiling.time), name_of(point.kernel->cause()));
  return svg + fmt::format(
                   "<text x=\"{}\" y=\"{}\">FLOP per byte of {}; up: FLOP/s; a line ends at the "
                   "ceiling</text>\n</svg>\n",
                   kMargin, kHeight - 8, pipeline.name);
}

std::string table_of(const Diagnosis& diagnosis) {
  std::string rows =
      "<table><tr><th>kernel</th><th>family</th><th>calls</th><th>time [us]</th><th>would save "
      "[us]</th><th>efficiency</th><th>ceiling</th><th>main cause</th></tr>\n";
  for (const DiagnosedGroup& group : diagnosis.groups)
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.0f}</td><td>{:.1f}</td><td>{:.1f}</td><td>{}</td><td>{}</td><td "
        "style=\"color:{}\">{}</td></tr>\n",
        markup_text(group.label), name_of(group.family), group.calls, to_microseconds(group.time),
        to_microseconds(group.saved), percent_text(group.efficiency), percent_text(group.ceiling_efficiency),
        colour_of(group.cause), name_of(group.cause));
  return rows + "</table>\n";
}

}  // namespace

std::string diagnosis_html(const Diagnosis& diagnosis) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{0} on {1}</title>\n<style>"
      "body{{font:14px sans-serif;margin:24px}}td,th{{padding:2px 10px;text-align:left}}"
      "svg text{{font-size:11px;fill:#333}}.g{{stroke:#eee}}.r{{fill:none;stroke:#333;stroke-width:1.5}}"
      "</style></head><body>\n<h2>{0} on {1}</h2>\n",
      markup_text(diagnosis.source), markup_text(diagnosis.gpu));
  page += fmt::format("<p>{} of kernels, {} less at their ceilings (q = {:.2f}).</p>\n",
                      duration_text(diagnosis.time), duration_text(diagnosis.saved), diagnosis.quantile);
  for (const ExpectedChange& change : diagnosis.changes)
    page += fmt::format("<p>{}: {} &rarr; {} (saves {} .. {})</p>\n", change.figure,
                        duration_text(change.now), duration_text(change.now - change.saved),
                        duration_text(change.least_saved), duration_text(change.most_saved));
  page += table_of(diagnosis);
  for (const Pipeline& pipeline : pipelines_of(diagnosis.spec)) page += panel(diagnosis, pipeline);
  return page + "</body></html>\n";
}

}  // namespace warploom
