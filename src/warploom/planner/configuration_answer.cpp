#include "warploom/planner/configuration_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>

#include "warploom/base/counted.h"
#include "warploom/base/parallel.h"
#include "warploom/planner/fleet_bounds.h"
#include "warploom/planner/highest_part.h"
#include "warploom/planner/load_draws.h"
#include "warploom/planner/saturation.h"

namespace warploom {
namespace {

double served_share(const RunFigures& figures) {
  const double all = double(figures.metrics.completed + figures.metrics.failed);
  return all > 0 ? double(figures.metrics.completed) / all : 1;
}

void divide_rent(const PlanTask& task, const Screened& screened, PlanPoint& point) {
  const auto rent_of = [&](const EngineShape& shape) {
    return task.rent[0].gpu_hour_price[shape.gpu] * double(shape.gpus());
  };
  const Configuration& configuration = point.configuration;
  const double prompts = screened.first.prompt_seconds / screened.first.groups * rent_of(configuration.shape);
  const EngineBounds& decode = screened.decode ? *screened.decode : screened.first;
  const double outputs =
      decode.output_seconds / decode.groups * rent_of(configuration.decode.value_or(configuration.shape));
  const double share = prompts + outputs > 0 ? prompts / (prompts + outputs) : 0.5;
  const double dollars_per_million = point.dollars_per_hour / (point.rate * 3600) * 1e6;
  point.input_price = share * dollars_per_million / task.load.mean_input;
  point.output_price = (1 - share) * dollars_per_million / task.load.mean_output;
}

// What keeps the level: the run that says so, and what further draws say where they were asked.
struct Met {
  RunFigures figures;
  std::optional<LoadSpread> spread;
};

class ConfigurationSearch {
 public:
  ConfigurationSearch(const PlanTask& task, const ConfigurationModel& model,
                      const Configuration& configuration, const Screened& screened,
                      const Incumbents& incumbents, bool finalist)
      : task_(task),
        model_(model),
        configuration_(configuration),
        screened_(screened),
        incumbents_(incumbents),
        finalist_(finalist) {}

  ConfigurationAnswer answer() {
    std::vector<Fleet> fleets = fleets_within(task_, configuration_);
    if (const AutoscalingConfig& scaling = task_.autoscaling; scaling.on())
      std::erase_if(fleets, [&](const Fleet& fleet) {
        const auto out = [&](std::int64_t n) {
          return n < scaling.min_instances || n > scaling.max_instances;
        };
        return out(fleet.instances) || (configuration_.decode && out(fleet.decode));
      });
    if (fleets.empty()) return none(kNoFleet, fleet_words());
    const Fleet largest = fleets.back();
    if (!task_.find_max_rate && task_.load.rate > 0)
      std::erase_if(fleets, [&](const Fleet& fleet) { return overloaded(fleet); });
    if (fleets.empty()) return none(kOverload, most_words(largest));
    if (!task_.exhaustive)
      if (const auto missed = missed_by_bound(task_.level, screened_, task_.load))
        return none(kTooSlow, *missed);
    if (task_.find_max_rate)
      find_rates(fleets);
    else
      find_fleets(fleets);
    const bool reasoned = !answer_.points.empty() || !answer_.reason.empty();
    if (!reasoned && overloaded_ && !answer_.nearest) return none(kOverload, most_words(largest));
    if (!reasoned) return none(kMissed, answer_.nearest ? answer_.nearest->binding.name : std::string());
    return std::move(answer_);
  }

 private:
  ConfigurationAnswer none(std::string_view reason, const std::string& example) {
    answer_.reason = reason;
    answer_.example = example;
    return std::move(answer_);
  }

  // Why no fleet has the number of GPUs that was asked for.
  std::string fleet_words() const {
    const std::int64_t own = configuration_.shape.gpus(), least = task_.spare_instances + 1;
    const std::string sizes = configuration_.decode
                                  ? fmt::format("{} and {} GPUs", own, configuration_.decode->gpus())
                                  : counted(own, "GPU");
    if (task_.gpu_count > 0)
      return fmt::format("instances of {} do not add up to {}{}", sizes, counted(task_.gpu_count, "GPU"),
                         room_words());
    if (task_.autoscaling.on())
      return fmt::format("no {} to {} instances of {} are within {}", task_.autoscaling.min_instances,
                         task_.autoscaling.max_instances, sizes, counted(task_.space.max_gpus, "GPU"));
    return fmt::format("{} of {} (spare ones included) are more than {}{}", counted(least, "instance"), sizes,
                       counted(task_.space.max_gpus, "GPU"), room_words());
  }

  // What the least fleet takes of a room that is too small.
  std::string room_words() const {
    if (task_.rooms.empty()) return "";
    const std::int64_t least = task_.spare_instances + 1;
    const FleetRoom room = room_of(task_.rooms, configuration_, {least, configuration_.decode ? least : 0});
    std::string words;
    if (task_.max_power_kw > 0)
      words += fmt::format(" or {:g} kW (they take {:.3g})", task_.max_power_kw, room.power_kw.value_or(0));
    if (task_.max_racks > 0)
      words += fmt::format(" or {} (they take {})", counted(task_.max_racks, "rack"), room.racks.value_or(0));
    return words;
  }

  std::string most_words(const Fleet& fleet) const {
    const double bound = most_rate(configuration_, screened_, running(task_, configuration_, fleet));
    return fmt::format("{} serve at most {:.3g} of {:.3g} requests/s",
                       counted(gpus_of(configuration_, fleet), "GPU"), answer_.most_rate.value_or(bound),
                       task_.load.rate);
  }

  bool overloaded(const Fleet& fleet) const {
    return task_.load.rate * (1 - task_.unserved_share) >=
           most_rate(configuration_, screened_, running(task_, configuration_, fleet));
  }

  double saturated(const Fleet& fleet, StepTime step_time) {
    return saturated_rate(task_, model_, configuration_, running(task_, configuration_, fleet), step_time);
  }

  bool sustained(const Fleet& fleet, StepTime step_time, double rate) {
    const double most = saturated(fleet, step_time);
    if (std::isfinite(most)) answer_.most_rate = std::max(answer_.most_rate.value_or(0), most);
    const bool enough = is_sustained(task_, rate > 0 ? rate : task_.load.rate, most);
    overloaded_ = overloaded_ || !enough;
    return enough;
  }

  // By its bounds alone; so that runs of it are likely to be in vain.
  bool nearly_full(const Fleet& fleet, double rate) const {
    constexpr double kNearlyFull = 0.4;  // of what bounds allow
    const double most = most_rate(configuration_, screened_, running(task_, configuration_, fleet));
    return (rate > 0 ? rate : task_.load.rate) > kNearlyFull * most;
  }

  PlanPoint point(const Fleet& fleet, double rate, const Met& met) {
    PlanPoint made = point_of(task_, configuration_, screened_, fleet, rate, met.figures);
    made.spread = met.spread;
    const Fleet runs = running(task_, configuration_, fleet);
    const bool known = task_.find_max_rate || !is_far_from_full(configuration_, screened_, runs, met.figures);
    const double most = known ? saturated(fleet, StepTime::Mid) : 0;
    if (std::isfinite(most)) made.saturated_rate = most;
    return made;
  }

  RunFigures run(const Fleet& fleet, const RunQuestion& question) {
    if (asked_.emplace(fleet.instances, fleet.decode, question).second)
      ++(question.whole ? answer_.whole_runs : answer_.short_runs);
    return model_.run(configuration_, running(task_, configuration_, fleet), question);
  }

  // The same run under every draw of the load, `first` being that of the first one. Nothing unless they keep
  // the level together.
  std::optional<Met> kept_over_draws(const Fleet& fleet, const RunQuestion& question, RunFigures first) {
    const std::vector<RunFigures> draws = runs_of_draws(
        task_, model_, {configuration_, fleet, question, finalist_ ? task_.threads : 1}, std::move(first));
    answer_.whole_runs += std::ssize(draws) - 1;
    if (meets_over_draws(task_, draws)) return Met{draws[0], spread_of(task_, draws)};
    if (question.step_time == StepTime::Mid)
      for (const RunFigures& draw : draws) note_miss(fleet, draw);
    return std::nullopt;
  }

  // A run that must keep the level (`sure`: with what its length leaves open), or every draw where it leaves
  // that open.
  std::optional<Met> judged(const Fleet& fleet, const RunQuestion& question, RunFigures figures, bool sure) {
    if (meets(task_, figures, sure)) return Met{std::move(figures), std::nullopt};
    if (task_.draws > 1 && is_open(task_, figures, sure)) {
      RunQuestion other = question;  // a thorough run of each draw would take as long as the search
      if (other.kind == RunKind::Thorough) other.kind = RunKind::Usual;
      return kept_over_draws(fleet, other, std::move(figures));
    }
    if (question.step_time == StepTime::Mid) note_miss(fleet, figures);
    return std::nullopt;
  }

  // Near the edge of what a fleet bears, a short run may not come to where the fleet ends: longer steps
  // gather more requests, which make steps longer. Nothing unless a thorough run keeps the
  // level with what its length leaves open.
  std::optional<Met> confirmed(const Fleet& fleet, StepTime step_time, double rate, Met met) {
    constexpr double kNearALimit = 0.8;  // of it is used
    const bool near = task_.find_max_rate || nearly_full(fleet, rate) ||
                      binding_limit(task_.level, met.figures).use > kNearALimit;
    if (!task_.load.open_ended || !near) return met;
    const RunQuestion thorough{.step_time = step_time, .rate = rate, .kind = RunKind::Thorough};
    auto longer = judged(fleet, thorough, run(fleet, thorough), true);
    if (!longer) return std::nullopt;
    if (!longer->spread) longer->spread = std::move(met.spread);
    // What had most of its places taken has seen long steps; whether it empties again is another question.
    if (!is_far_from_full(configuration_, screened_, running(task_, configuration_, fleet), longer->figures))
      return sustained(fleet, step_time, rate) ? std::move(longer) : std::nullopt;
    const RunQuestion crowd{.step_time = step_time, .rate = rate, .kind = RunKind::AfterCrowd};
    return judged(fleet, crowd, run(fleet, crowd), false) ? std::move(longer) : std::nullopt;
  }

  // How a fleet that keeps the level by its usual run is asked further: not at all, where what that run
  // leaves open counts as kept; by longer runs; and by every draw of a finalist's load.
  enum class Further { Nothing, Longer, EveryDraw };

  // Nothing when the level is missed.
  std::optional<Met> run_if_met(const Fleet& fleet, StepTime step_time, double rate,
                                Further further = Further::EveryDraw) {
    // A run of a fleet that is overloaded is long; of one pool all fleets share the run that says so.
    const bool first = !configuration_.decode && nearly_full(fleet, rate);
    if (first && !sustained(fleet, step_time, rate)) return std::nullopt;
    if (!task_.exhaustive && !task_.load.open_ended) {
      const RunFigures part = run(fleet, {step_time, rate, false});
      if (sure_to_miss(task_, part)) {
        if (step_time == StepTime::Mid) note_miss(fleet, part);
        return std::nullopt;
      }
    }
    const RunQuestion question{step_time, rate, true};
    const bool sure = step_time == StepTime::High;
    RunFigures figures = run(fleet, question);
    const bool confirm = further != Further::Nothing;
    if (!confirm && task_.draws > 1 && is_open(task_, figures, sure)) return Met{std::move(figures), {}};
    auto met = judged(fleet, question, std::move(figures), sure);
    if (!met) return std::nullopt;
    const Fleet runs = running(task_, configuration_, fleet);
    if (!first && !is_far_from_full(configuration_, screened_, runs, met->figures) &&
        !sustained(fleet, step_time, rate))
      return std::nullopt;
    if (!confirm) return met;
    met = confirmed(fleet, step_time, rate, std::move(*met));
    if (!met || met->spread || !decided_by_draws(further)) return met;
    return kept_over_draws(fleet, question, std::move(met->figures));
  }

  bool decided_by_draws(Further further) const {
    return finalist_ && task_.draws > 1 && further == Further::EveryDraw;
  }

  // Whether the level is kept after a crowd, of a fleet that is asked so (confirmed).
  bool bears_crowd(const Fleet& fleet, StepTime step_time, double rate) {
    if (!task_.load.open_ended) return true;
    const Fleet runs = running(task_, configuration_, fleet);
    if (!is_far_from_full(configuration_, screened_, runs, run(fleet, {step_time, rate, true}))) return true;
    const RunQuestion crowd{.step_time = step_time, .rate = rate, .kind = RunKind::AfterCrowd};
    return judged(fleet, crowd, run(fleet, crowd), false).has_value();
  }

  void note_miss(const Fleet& fleet, const RunFigures& figures) {
    LimitUse binding = binding_limit(task_.level, figures);
    if (!figures.refused.empty()) return;
    if (answer_.nearest && answer_.nearest->binding.use <= binding.use) return;
    answer_.nearest = NearMiss{configuration_, fleet, std::move(binding)};
  }

  bool worthwhile(const Fleet& fleet, const std::optional<double>& incumbent, bool fronts) const {
    if (task_.exhaustive || task_.every_point || !incumbent) return true;
    if (least_objective(task_, configuration_, screened_, fleet) <= *incumbent) return true;
    if (!fronts || !task_.fronts) return false;
    const double served = served_at_most(task_, configuration_, screened_, fleet);
    const double gpus = double(gpus_of(configuration_, fleet));
    const double per_token = screened_.decode ? screened_.decode->per_token : screened_.first.per_token;
    const Tradeoff speed{-served * task_.load.mean_output / gpus, per_token};
    const Tradeoff cost{least_rent(task_, configuration_, fleet) / served,
                        screened_.first.first_token_at(0.95)};
    return !is_covered(incumbents_.speed_points, speed) || !is_covered(incumbents_.cost_points, cost);
  }

  void find_fleets(const std::vector<Fleet>& fleets) {
    if (!worthwhile(fleets.front(), incumbents_.median, true)) {
      answer_.reason = kNotBetter;
      return;
    }
    std::size_t at = 0;
    std::optional<Met> met;
    for (; at < fleets.size(); ++at) {
      if (at == kMissesBeforeLargest && at + 1 < fleets.size() && !task_.exhaustive &&
          !run_if_met(fleets.back(), StepTime::Mid, 0))
        return;
      if (!worthwhile(fleets[at], incumbents_.median, true)) {
        answer_.reason = kNotBetter;
        return;
      }
      met = run_if_met(fleets[at], StepTime::Mid, 0);
      if (met) break;
    }
    if (!met) return;
    answer_.points.push_back(point(fleets[at], task_.load.rate, *met));
    find_confident(fleets, at);
  }

  // From the least fleet at the median on: the least that keeps to the level with kernels at p90.
  void find_confident(const std::vector<Fleet>& fleets, std::size_t at) {
    if (!worthwhile(fleets[at], incumbents_.confident, false)) return;
    if (auto slow = run_if_met(fleets[at], StepTime::High, 0)) {
      set_confident(answer_.points.back(), std::move(*slow));
      return;
    }
    for (std::size_t next = at + 1; next < fleets.size(); ++next) {
      if (next == at + kMissesBeforeLargest && next + 1 < fleets.size() && !task_.exhaustive &&
          !run_if_met(fleets.back(), StepTime::High, 0))
        return;
      if (!worthwhile(fleets[next], incumbents_.confident, false)) return;
      auto slow = run_if_met(fleets[next], StepTime::High, 0);
      if (!slow) continue;
      auto median = median_of(fleets[next], 0);
      if (!median) continue;
      add_confident(fleets[next], task_.load.rate, *median, std::move(*slow));
      return;
    }
  }

  // Each fleet's highest rate, in kRateSteps parts of what bounds it, that keeps to the level.
  void find_rates(const std::vector<Fleet>& fleets) {
    const Fleet fleet = fleets.front();
    if (!worthwhile(fleet, incumbents_.median, true)) {
      answer_.reason = kNotBetter;
      return;
    }
    const double most = std::min(most_rate(configuration_, screened_, running(task_, configuration_, fleet)),
                                 saturated(fleet, StepTime::Mid));
    if (!std::isfinite(most)) return;
    std::optional<Met> median, slow;
    const std::int64_t at = highest(fleet, StepTime::Mid, most, kRateSteps, median);
    if (at == 0) return;
    answer_.points.push_back(point(fleet, most * double(at) / double(kRateSteps), *median));
    const std::int64_t sure = highest(fleet, StepTime::High, most, at, slow);
    if (sure == 0) return;
    const double rate = most * double(sure) / double(kRateSteps);
    if (sure == at) {
      set_confident(answer_.points.back(), std::move(*slow));
      return;
    }
    if (const auto figures = median_of(fleet, rate)) add_confident(fleet, rate, *figures, std::move(*slow));
  }

  // The run at the median of a fleet that keeps to the level at p90.
  std::optional<Met> median_of(const Fleet& fleet, double rate) {
    const RunQuestion question{StepTime::Mid, rate, true};
    auto met = judged(fleet, question, run(fleet, question), false);
    if (!met || met->spread || !finalist_ || task_.draws < 2) return met;
    return kept_over_draws(fleet, question, std::move(met->figures));
  }

  static void set_confident(PlanPoint& point, Met slow) {
    point.pessimistic = std::move(slow.figures);
    point.pessimistic_spread = std::move(slow.spread);
    point.confident = true;
  }

  // A point that keeps to the level surely and is not the least that does by the median.
  void add_confident(const Fleet& fleet, double rate, const Met& median, Met slow) {
    PlanPoint made = point(fleet, rate, median);
    set_confident(made, std::move(slow));
    made.median_least = false;
    answer_.points.push_back(std::move(made));
  }

  // The highest part of `most` up to `first` at which the fleet keeps the level; 0 when not even the lowest
  // does. What refuses for less is asked first, from what the one before it let through: usual runs, runs
  // after a crowd, which are a fraction of the thorough ones, those, and every draw.
  std::int64_t highest(const Fleet& fleet, StepTime step_time, double most, std::int64_t first,
                       std::optional<Met>& figures) {
    const auto rate_of = [&](std::int64_t part) { return most * double(part) / double(kRateSteps); };
    const auto is_met = [&](std::int64_t part, Further further) {
      auto found = run_if_met(fleet, step_time, rate_of(part), further);
      const bool met = found.has_value();
      if (met && further != Further::Nothing) figures = std::move(found);
      return met;
    };
    const bool known = first < kRateSteps;  // that less is asked of it than of what kept `first`
    std::int64_t part =
        highest_of_all(first, known, [&](std::int64_t each) { return is_met(each, Further::Nothing); });
    part =
        highest_below(part, [&](std::int64_t each) { return bears_crowd(fleet, step_time, rate_of(each)); });
    part = highest_below(part, [&](std::int64_t each) { return is_met(each, Further::Longer); });
    if (!decided_by_draws(Further::EveryDraw)) return part;
    return highest_below(part, [&](std::int64_t each) { return is_met(each, Further::EveryDraw); });
  }

  static constexpr std::int64_t kRateSteps = 64;
  static constexpr std::size_t kMissesBeforeLargest = 3;  // after which the largest fleet is asked
  const PlanTask& task_;
  const ConfigurationModel& model_;
  const Configuration& configuration_;
  const Screened& screened_;
  const Incumbents& incumbents_;
  const bool finalist_;  // all draws decide
  ConfigurationAnswer answer_;
  std::set<std::tuple<std::int64_t, std::int64_t, RunQuestion>> asked_;
  bool overloaded_ = false;  // some fleet serves less than the load when saturated
};

}  // namespace

ConfigurationAnswer answer_configuration(const PlanTask& task, const ConfigurationModel& model,
                                         const Configuration& configuration, const Screened& screened,
                                         const Incumbents& incumbents, bool finalist) {
  return ConfigurationSearch(task, model, configuration, screened, incumbents, finalist).answer();
}

Tradeoff speed_of(const PlanPoint& point) {
  return {-point.tokens_per_s_per_gpu, point.figures.metrics.tpot.mean.value()};
}

Tradeoff cost_of(const PlanPoint& point) {
  return {point.dollars_per_million_output, point.figures.metrics.ttft.p95.value()};
}

bool sure_to_miss(const PlanTask& task, const RunFigures& first_quarter) {
  if (!first_quarter.refused.empty()) return true;
  const double requests = double(task.load.requests);
  if (double(first_quarter.metrics.failed) > task.unserved_share * requests) return true;
  for (std::size_t i = 0; i < task.level.limits.size() && i < first_quarter.over.size(); ++i) {
    const SloLimit& limit = task.level.limits[i];
    if (limit.statistic == LatencyStatistic::Mean) continue;
    // A quantile lies between the order statistics around fraction * (n - 1): above the limit for sure when
    // the lower of them is.
    const double may = requests - std::floor(fraction_of(limit.statistic) * (requests - 1)) - 1;
    if (double(first_quarter.over[i]) > may) return true;
  }
  return task.level.has_goodput() &&
         double(first_quarter.missed_goodput) > requests * (1 - task.level.goodput_share);
}

bool meets(const PlanTask& task, const RunFigures& figures, bool sure) {
  if (!figures.refused.empty() || served_share(figures) < 1 - task.unserved_share) return false;
  const std::vector<LimitUse> uses =
      sure ? sure_limit_uses(task.level, figures) : limit_uses(task.level, figures);
  return std::all_of(uses.begin(), uses.end(), [](const LimitUse& use) { return use.use <= 1; });
}

PlanPoint point_of(const PlanTask& task, const Configuration& configuration, const Screened& screened,
                   const Fleet& fleet, double rate, const RunFigures& figures) {
  const ServingMetrics& metrics = figures.metrics;
  PlanPoint point{.configuration = configuration, .fleet = fleet, .figures = figures};
  point.gpus = gpus_of(configuration, fleet);
  point.shares = rented_shares(task.rent, configuration, fleet, figures.held, figures.held_decode);
  point.rented = rented_of(point.shares);
  if (!task.rooms.empty()) point.room = room_of(task.rooms, configuration, fleet);
  point.rate = rate > 0 ? rate : metrics.request_throughput;
  // A part of an endless load may by chance bring more than its share.
  point.output_tokens_per_s = rate > 0 ? std::min(metrics.output_throughput, rate * task.load.mean_output)
                                       : metrics.output_throughput;
  const double watts = metrics.duration.value() > 0 ? figures.energy_j / metrics.duration.value() : 0;
  point.rent = dollars_of(point.shares) + store_rent(task, configuration);
  point.dollars_per_hour = point.rent + task.power_price * watts / 1000;
  point.tokens_per_s_per_gpu = point.output_tokens_per_s / double(point.gpus);
  point.tokens_per_s_per_user = metrics.tpot.mean.value() > 0 ? 1 / metrics.tpot.mean.value() : 0;
  point.dollars_per_million_output = point.dollars_per_hour / (point.output_tokens_per_s * 3600) * 1e6;
  divide_rent(task, screened, point);
  switch (task.objective) {
    case Objective::Cost:
      point.objective = point.dollars_per_hour / point.rate;
      break;
    case Objective::Gpus:
      point.objective = double(point.rented.gpus());
      break;
    case Objective::Throughput:
      point.objective = double(point.gpus) / point.rate;
      break;
    case Objective::Energy:
      point.objective = figures.energy_j / double(std::max<std::int64_t>(1, metrics.total_output_tokens));
      break;
    case Objective::Latency:
      point.objective = metrics.e2el.mean.value();
      break;
  }
  return point;
}

}  // namespace warploom
