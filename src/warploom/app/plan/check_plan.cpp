#include "warploom/app/plan/check_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "warploom/app/runs/measured_metrics.h"
#include "warploom/app/runs/measured_requests.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

struct MeasuredFigures {
  ServingMetrics metrics;
  double goodput_share = 0;
};

MeasuredFigures figures_of_measured(const MeasuredRequests& measured, const Slo& slo) {
  const std::vector<RealRequest>& requests = measured.requests;
  MeasuredFigures figures{.metrics = measured_metrics(measured)};
  double met = 0;
  for (const RealRequest& request : requests) {
    const double per_token = request.output_tokens > 1 ? (request.last_token - request.first_token) /
                                                             double(request.output_tokens - 1)
                                                       : 0;
    const bool good = (!slo.ttft || request.first_token - request.queued <= slo.ttft->value()) &&
                      (!slo.tpot || per_token <= slo.tpot->value()) &&
                      (!slo.e2el || request.last_token - request.queued <= slo.e2el->value());
    met += good ? 1 : 0;
  }
  figures.goodput_share = met / double(requests.size());
  return figures;
}

// Tokenizers and draws move mean lengths a little, and the rate of a short run more. Chosen, not measured.
constexpr double kAlikeLengths = 0.05, kAlikeRate = 0.15;

// In what the measured requests are another load than the one that was promised to be served.
std::vector<std::string> differences(const std::vector<RealRequest>& requests, const PlanResult& plan) {
  double input = 0, output = 0;
  std::vector<double> sent;
  for (const RealRequest& request : requests) {
    input += double(request.input_tokens) / double(requests.size());
    output += double(request.output_tokens) / double(requests.size());
    sent.push_back(request.queued);
  }
  std::vector<std::string> words;
  const auto compare = [&](const char* what, double measured, double asked, double alike) {
    if (asked > 0 && std::abs(measured / asked - 1) > alike)
      words.push_back(fmt::format("{} {:.4g}, the plan's {:.4g}", what, measured, asked));
  };
  compare("prompt tokens in the mean", input, plan.load.mean_input, kAlikeLengths);
  compare("output tokens in the mean", output, plan.load.mean_output, kAlikeLengths);
  const auto [first, last] = std::minmax_element(sent.begin(), sent.end());
  const double asked = plan.search.points[*plan.search.best].rate;
  if (plan.load.in_flight == 0 && *last > *first)
    compare("requests/s", double(requests.size() - 1) / (*last - *first), asked, kAlikeRate);
  return words;
}

}  // namespace

PlanCheck check_plan(const PlanResult& plan, const std::filesystem::path& result) {
  if (!plan.search.best)
    throw InvalidInput(
        "check: no deployment meets the limits, so nothing was promised that could be compared");
  const PlanPoint& best = plan.search.points[*plan.search.best];
  const MeasuredRequests measured = read_measured_requests(result);
  const MeasuredFigures real = figures_of_measured(measured, plan.level.goodput);
  PlanCheck check{.generator = measured.client ? measured.client->generator : "the engine's own record",
                  .requests = std::ssize(measured.requests),
                  .promised_rate = best.figures.metrics.request_throughput,
                  .measured_rate = real.metrics.request_throughput,
                  .figures = {},
                  .kept = true,
                  .unjudged = {},
                  .unlike = differences(measured.requests, plan)};
  const auto add = [&](const SloLimit& limit, bool judged) {
    CheckedFigure figure{.name = limit.name(),
                         .promised = to_milliseconds(figure_of(limit, best.figures.metrics))};
    if (best.pessimistic) figure.pessimistic = to_milliseconds(figure_of(limit, best.pessimistic->metrics));
    figure.measured = to_milliseconds(figure_of(limit, real.metrics));
    if (judged) {
      figure.limit = to_milliseconds(limit.limit);
      check.kept = check.kept && figure.measured <= figure.limit;
    }
    check.figures.push_back(figure);
  };
  for (const SloLimit& limit : plan.level.limits)
    if (limit.metric != LatencyMetric::Itl)
      add(limit, true);
    else
      check.unjudged.push_back(limit.name());
  for (const ClassLimits& each : plan.level.classes) check.unjudged.push_back("class " + each.name);
  if (check.figures.empty() && !plan.level.has_goodput())
    throw Unsupported(
        fmt::format("check: {}: says nothing of {}, expected a plan with limits of TTFT, TPOT or E2EL",
                    result.string(), fmt::join(check.unjudged, ", ")));
  if (plan.level.has_goodput()) {
    check.figures.push_back({"goodput_share", best.figures.goodput_share,
                             best.pessimistic ? best.pessimistic->goodput_share : 0, real.goodput_share,
                             plan.level.goodput_share});
    check.kept = check.kept && real.goodput_share >= plan.level.goodput_share;
  }
  for (const LatencyMetric metric : {LatencyMetric::Ttft, LatencyMetric::Tpot})
    add({metric, LatencyStatistic::Mean, Seconds(0.0)}, false);
  return check;
}

}  // namespace warploom
