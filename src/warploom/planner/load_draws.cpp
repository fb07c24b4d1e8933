#include "warploom/planner/load_draws.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "warploom/base/parallel.h"
#include "warploom/base/statistics.h"
#include "warploom/planner/fleet_bounds.h"

namespace warploom {
namespace {

// With 1 and 2 degrees of freedom, for which the series of student_t does not serve: Abramowitz and Stegun,
// table 26.10.
constexpr std::array<double, 2> kFewDraws{3.0777, 1.8856};

double half_width(std::span<const double> values) {
  const auto n = double(values.size());
  const double deviation = standard_deviation(values) * std::sqrt(n / (n - 1));
  return student_t90(values.size() - 1) * deviation / std::sqrt(n);
}

DrawnFigure drawn(std::string name, std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  DrawnFigure figure{.name = std::move(name), .low = *low, .mean = mean(values), .high = *high};
  figure.sure = figure.mean + half_width(values);
  return figure;
}

// Shares must be reached; all other figures may not be exceeded.
bool is_share(const LimitUse& use) { return use.name.starts_with("goodput_share"); }

void add_latency(LoadSpread& spread, std::span<const RunFigures> draws, LatencyMetric metric,
                 LatencyStatistic statistic) {
  const SloLimit shown{metric, statistic, Seconds(0.0)};
  const std::string name = shown.name();
  const bool is_there = std::any_of(spread.figures.begin(), spread.figures.end(),
                                    [&](const DrawnFigure& figure) { return figure.name == name; });
  if (is_there) return;
  std::vector<double> values;
  for (const RunFigures& draw : draws) values.push_back(to_milliseconds(figure_of(shown, draw.metrics)));
  spread.figures.push_back(drawn(name, values));
}

// So little of what arrives piles up that one run in 200 says so by chance; what falls behind does so in
// every draw.
bool hardly_grows(const RunFigures& figures) {
  return figures.length.lives >= kSureLives && figures.length.growth_high <= kSteadyGrowth;
}

bool serves_its_share(const PlanTask& task, const RunFigures& draw) {
  const double all = double(draw.metrics.completed + draw.metrics.failed);
  return !(all > 0) || double(draw.metrics.completed) >= (1 - task.unserved_share) * all;
}

// The same limits of every draw, in order, without whether one falls behind.
std::vector<LimitUse> but_growth(std::vector<LimitUse> uses) {
  std::erase_if(uses, [](const LimitUse& use) { return use.name == kBacklogGrowth; });
  return uses;
}

std::vector<LimitUse> uses_of(const PlanTask& task, const RunFigures& draw) {
  return but_growth(limit_uses(task.level, draw));
}

}  // namespace

double student_t90(std::size_t freedom) {
  return freedom <= kFewDraws.size() ? kFewDraws[std::max<std::size_t>(1, freedom) - 1]
                                     : student_t(kNormal90, freedom);
}

bool is_open(const PlanTask& task, const RunFigures& figures, bool sure) {
  if (!figures.refused.empty() || !serves_its_share(task, figures)) return false;
  // A search for the highest rate looks at many that are too high; there such a chance costs little.
  if (falls_behind(figures) && (task.find_max_rate || !hardly_grows(figures))) return false;
  const auto uses = but_growth(sure ? sure_limit_uses(task.level, figures) : limit_uses(task.level, figures));
  return std::all_of(uses.begin(), uses.end(), [](const LimitUse& use) {
    if (use.use <= 1) return true;
    if (!(use.high > use.low)) return use.use <= 1 + kOpenBeyond;
    return use.low <= use.limit && use.limit <= use.high;
  });
}

std::vector<RunFigures> runs_of_draws(const PlanTask& task, const ConfigurationModel& model,
                                      const DrawnFleet& asked, std::optional<RunFigures> first) {
  const Fleet runs = running(task, asked.configuration, asked.fleet);
  std::vector<RunFigures> draws(std::size_t(task.draws));
  draws[0] = first ? std::move(*first) : model.run(asked.configuration, runs, asked.question);
  RunQuestion as_long = asked.question;
  if (as_long.kind == RunKind::Usual && task.load.open_ended) as_long.requests = draws[0].length.simulated;
  parallel_for(draws.size() - 1, asked.threads, [&](std::size_t i) {
    RunQuestion other = as_long;
    other.draw = std::int64_t(i) + 1;
    draws[i + 1] = model.run(asked.configuration, runs, other);
  });
  return draws;
}

LoadSpread spread_of(const PlanTask& task, std::span<const RunFigures> draws) {
  LoadSpread spread{.draws = std::ssize(draws)};
  std::vector<std::vector<LimitUse>> uses;
  for (const RunFigures& draw : draws) uses.push_back(uses_of(task, draw));
  for (std::size_t i = 0; i < uses.front().size(); ++i) {
    std::vector<double> values;
    for (const auto& of_draw : uses) values.push_back(of_draw.at(i).figure);
    DrawnFigure figure = drawn(uses.front()[i].name, values);
    figure.limit = uses.front()[i].limit;
    if (is_share(uses.front()[i])) figure.sure = figure.mean - half_width(values);
    figure.kept = is_share(uses.front()[i]) ? figure.sure >= figure.limit : figure.sure <= figure.limit;
    spread.figures.push_back(std::move(figure));
  }
  for (const LatencyMetric metric : {LatencyMetric::Ttft, LatencyMetric::Tpot})
    for (const LatencyStatistic statistic : {LatencyStatistic::Mean, LatencyStatistic::P95})
      add_latency(spread, draws, metric, statistic);
  return spread;
}

bool meets_over_draws(const PlanTask& task, std::span<const RunFigures> draws) {
  const bool serve = std::all_of(draws.begin(), draws.end(), [&](const RunFigures& draw) {
    return draw.refused.empty() && serves_its_share(task, draw);
  });
  const auto behind = std::count_if(draws.begin(), draws.end(), falls_behind);
  if (!serve || double(behind) > kMostBehind * double(draws.size())) return false;
  const LoadSpread spread = spread_of(task, draws);
  return std::all_of(spread.figures.begin(), spread.figures.end(),
                     [](const DrawnFigure& figure) { return figure.kept; });
}

}  // namespace warploom
