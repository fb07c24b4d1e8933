#include "warploom/report/run_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "warploom/report/number_text.h"

namespace warploom {
namespace {

constexpr std::size_t kTimelineWidth = 60;  // characters
constexpr std::size_t kFitBins = 30;

struct ChartLine {
  std::string name, words;
  std::vector<double> values;
  double most = 0;
  Ink ink = Ink::Plain;
};

std::string lines_text(const std::vector<ChartLine>& lines, ChartStyle style) {
  std::size_t names = 0;
  for (const ChartLine& line : lines) names = std::max(names, line.name.size());
  std::string text;
  for (const ChartLine& line : lines)
    text +=
        fmt::format("{:<{}}  {}  {}\n", line.name, names,
                    inked(sparkline(line.values, line.most, kTimelineWidth), line.ink, style), line.words);
  return text;
}

template <class Value>
std::vector<double> sampled(const std::vector<TimelineSample>& timeline, Value value) {
  std::vector<double> values;
  for (const TimelineSample& sample : timeline) values.push_back(double(value(sample)));
  return values;
}

double highest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

ChartLine count_line(const char* name, std::vector<double> values, Ink ink) {
  const double most = highest(values);
  return {.name = name,
          .words = "at most " + count_text(std::int64_t(most)),
          .values = std::move(values),
          .most = most,
          .ink = ink};
}

// A pipeline has the colour here that is nearest to the page's.
Ink ink_of(std::string_view bound) {
  if (bound == "tensor") return Ink::Blue;
  if (bound == "dram") return Ink::Yellow;
  if (bound == "network") return Ink::Red;
  if (bound == "l2" || bound == "shared") return Ink::Green;
  return bound == "fma" || bound == "xu" ? Ink::Magenta : Ink::Plain;
}

}  // namespace

std::string timeline_chart(const SimulationResult& result, ChartStyle style) {
  const std::vector<TimelineSample>& timeline = result.timeline;
  if (timeline.size() < 2) return {};
  std::vector<double> preempted;  // in each stretch; samples count them from the beginning
  std::int64_t before = 0;
  for (const TimelineSample& sample : timeline)
    preempted.push_back(double(sample.preemptions - std::exchange(before, sample.preemptions)));
  std::vector<double> kv = sampled(timeline, [](const TimelineSample& at) { return at.kv_use; });
  const double kv_most = highest(kv);
  std::vector<ChartLine> lines{
      count_line("running", sampled(timeline, [](const TimelineSample& at) { return at.running; }),
                 Ink::Cyan),
      count_line("waiting", sampled(timeline, [](const TimelineSample& at) { return at.waiting; }),
                 Ink::Yellow),
      {.name = "KV cache",
       .words = "at most " + percent_text(kv_most),
       .values = std::move(kv),
       .most = 1,
       .ink = Ink::Blue}};
  if (before > 0) {
    const double most = highest(preempted);
    lines.push_back({.name = "preemptions",
                     .words = count_text(before) + " in all",
                     .values = std::move(preempted),
                     .most = most,
                     .ink = Ink::Red});
  }
  return fmt::format("\nover time, {} to {}\n", duration_text(timeline.front().time.seconds()),
                     duration_text(timeline.back().time.seconds())) +
         lines_text(lines, style);
}

std::string step_chart(const StepBreakdown& step, ChartStyle style) {
  const Seconds whole = step.gpu_p50 + step.host;
  std::vector<std::pair<std::string, Seconds>> parts;
  for (const KernelRow& kernel : step.kernels) {
    const std::string bound(name_of(kernel.bound));
    const auto at =
        std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == bound; });
    if (at == parts.end())
      parts.emplace_back(bound, kernel.p50);
    else
      at->second = at->second + kernel.p50;
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  parts.emplace_back("host", step.host);
  Seconds longest = step.host;
  for (const auto& [name, time] : parts) longest = std::max(longest, time);
  if (!(whole.value() > 0) || !(longest.value() > 0)) return {};
  std::vector<ChartBar> bars;
  for (const auto& [name, time] : parts)
    bars.push_back({.name = name,
                    .words = fmt::format("{}, {}", duration_text(time), percent_text(time / whole)),
                    .share = time / longest,
                    .ink = ink_of(name)});
  return "\nby bound\n" + bars_text(bars, style);
}

std::string fit_chart(const WaveModel& model, ChartStyle style) {
  std::vector<double> residuals;
  for (const FittedConfig& fitted : model.configs) residuals.push_back(double(fitted.residual));
  if (residuals.size() < 2) return {};
  const auto [least, most] = std::minmax_element(residuals.begin(), residuals.end());
  if (!(*most > *least)) return {};
  std::vector<double> counts(kFitBins);
  for (const double residual : residuals) {
    const double place = (residual - *least) / (*most - *least) * double(kFitBins);
    ++counts[std::min(kFitBins - 1, std::size_t(place))];
  }
  const double tallest = highest(counts);
  return fmt::format("residuals {} {} {}: configurations, at most {} of {} in a place\n",
                     percent_text(*least), inked(sparkline(counts, tallest, kFitBins), Ink::Cyan, style),
                     percent_text(*most), count_text(std::int64_t(tallest)),
                     count_text(std::int64_t(residuals.size())));
}

}  // namespace warploom
