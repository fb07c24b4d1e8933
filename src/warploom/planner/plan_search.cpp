#include "warploom/planner/plan_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/planner/configuration_answer.h"
#include "warploom/planner/fleet_bounds.h"
#include "warploom/planner/instances_by_draw.h"
#include "warploom/planner/load_draws.h"
#include "warploom/planner/plan_crew.h"
#include "warploom/planner/search_stopped.h"

namespace warploom {
namespace {

// Configurations that are decided against the same incumbents; where nothing is left out by them, so many
// that several processes seldom wait for each other.
constexpr std::size_t kRound = 16, kExhaustiveRound = 128;

// A round ends when its last configuration does, most threads idle: a few that are left join the one before.
std::size_t size_of_round(std::size_t usual, std::size_t left) {
  return left > usual + usual / 2 ? usual : left;
}

constexpr std::string_view kNotReached = "not reached in time";

struct Place {
  Configuration configuration;
  Screened screened;
  double least = 0;  // of the objective
  std::int64_t fleets = 0;
  std::optional<Fleet> largest;
  double most_rate = 0;  // of that one
};

class PlanSearch {
 public:
  PlanSearch(const PlanTask& task, const ConfigurationModel& model)
      : task_(task), model_(model), begin_(std::chrono::steady_clock::now()) {}

  SearchResult result() {
    visit_configurations(task_.space, task_.mixture,
                         [&](const Configuration& each) { places_.push_back({.configuration = each}); });
    result_.configurations = std::ssize(places_);
    if (places_.empty())
      throw InvalidInput(
          "search space: is empty, expected at least one combination of sizes within `max_gpus`");
    screen();
    decide();
    result_.partial = result_.partial || reached_not_all();
    finish();
    return std::move(result_);
  }

 private:
  // The same for every member of a crew: what the first one finds.
  bool out_of_time() const {
    if (task_.crew == nullptr) return own_out_of_time();
    const CrewMessage first = task_.crew->exchange({std::uint8_t(own_out_of_time() ? 1 : 0)}).front();
    return first.at(0) != 0;
  }

  bool own_out_of_time() const {
    if (task_.cancelled != nullptr && *task_.cancelled) return true;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    return task_.time_limit > 0 && taken.count() > task_.time_limit;
  }

  bool reached_not_all() const {
    return std::any_of(result_.without_point.begin(), result_.without_point.end(),
                       [](const PlanCount& each) { return each.reason == kNotReached; });
  }

  void report(std::string_view stage, std::int64_t done, std::int64_t total) {
    if (task_.on_progress) task_.on_progress({done, total, stage});
  }

  void screen() {
    std::mutex reporting;
    std::int64_t done = 0;
    const auto screen_one = [&](std::size_t i) {
      if (task_.crew == nullptr && own_out_of_time())
        places_[i].screened.refusal = Refusal{std::string(kNotReached), ""};
      else
        places_[i].screened = model_.screen(places_[i].configuration);
      const std::scoped_lock lock(reporting);
      report("screened", ++done, std::ssize(places_));
    };
    if (task_.crew == nullptr)
      parallel_for(places_.size(), task_.threads, screen_one);
    else
      share_work(
          *task_.crew, places_.size(), task_.threads, screen_one,
          [&](std::size_t i) { return screened_to_json(places_[i].screened); },
          [&](std::size_t i, const Json& json) { places_[i].screened = screened_from_json(json); });
    parallel_for(places_.size(), task_.threads, [&](std::size_t i) {
      Place& place = places_[i];
      const std::vector<Fleet> fleets = fleets_within(task_, place.configuration);
      place.fleets = std::ssize(fleets);
      if (!fleets.empty() && !place.screened.refusal)
        place.least = least_objective(task_, place.configuration, place.screened, fleets.front());
      if (fleets.empty() || place.screened.refusal) return;
      place.largest = fleets.back();
      place.most_rate =
          most_rate(place.configuration, place.screened, running(task_, place.configuration, fleets.back()));
    });
    for (const Place& place : places_) result_.candidates += place.fleets;
  }

  void decide() {
    for (const Place& place : places_) {
      if (place.screened.refusal)
        count(place.screened.refusal->reason, place.screened.refusal->text);
      else
        note_bounds(place.screened);
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (!places_[i].screened.refusal) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return places_[a].least < places_[b].least; });
    const std::size_t round = task_.exhaustive ? kExhaustiveRound : kRound;
    for (std::size_t first = 0, of_round = 0; first < order.size(); first += of_round) {
      if (out_of_time()) {
        result_.partial = true;
        for (std::size_t i = first; i < order.size(); ++i) count(std::string(kNotReached), "");
        return;
      }
      of_round = size_of_round(round, order.size() - first);
      decide_round(std::span(order).subspan(first, of_round));
      report("decided", std::int64_t(first + of_round), std::ssize(order));
    }
  }

  void decide_round(std::span<const std::size_t> round) {
    std::vector<ConfigurationAnswer> answers(round.size());
    const auto answer_one = [&](std::size_t i) {
      const Place& place = places_[round[i]];
      try {
        answers[i] = answer_configuration(task_, model_, place.configuration, place.screened, incumbents_);
      } catch (const SearchStopped&) {
        answers[i] = {};
        answers[i].reason = kNotReached;
      }
    };
    if (task_.crew == nullptr)
      parallel_for(round.size(), task_.threads, answer_one);
    else
      share_work(
          *task_.crew, round.size(), task_.threads, answer_one,
          [&](std::size_t i) { return answer_to_json(answers[i]); },
          [&](std::size_t i, const Json& json) {
            const Place& place = places_[round[i]];
            answers[i] = answer_from_json(json, task_, place.configuration, place.screened);
          });
    if (task_.crew != nullptr) tell_runs();
    let_draws_decide(round, answers);
    for (std::size_t i = 0; i < round.size(); ++i) {
      double& most = places_[round[i]].most_rate;
      most = std::min(most, answers[i].most_rate.value_or(most));
      take(std::move(answers[i]));
    }
  }

  // The first member keeps the log of all, so that a search that is stopped goes on where it was.
  void tell_runs() const {
    const bool first = task_.crew->is_first();
    const std::vector<CrewMessage> told =
        task_.crew->exchange(first ? CrewMessage() : Json::to_cbor(model_.take_news()));
    if (!first) return;
    for (const CrewMessage& message : told)
      if (!message.empty()) model_.learn(Json::from_cbor(message));
  }

  // What would become the best of all is a finalist, which every draw of the load judges. Until none is left:
  // one that they refuse makes room for the next.
  void let_draws_decide(std::span<const std::size_t> round, std::vector<ConfigurationAnswer>& answers) {
    std::set<std::size_t> decided;
    while (task_.draws > 1) {
      std::optional<std::size_t> leader;
      for (const bool confident : {false, true})
        if (!leader) leader = would_lead(answers, confident, decided);
      if (!leader) return;
      const Place& place = places_[round[*leader]];
      try {
        answers[*leader] =
            answer_configuration(task_, model_, place.configuration, place.screened, incumbents_, true);
      } catch (const SearchStopped&) {
        result_.partial = true;
        return;
      }
      decided.insert(*leader);
    }
  }

  // The answer with the best point of a round, where that is better than all before and not decided.
  std::optional<std::size_t> would_lead(const std::vector<ConfigurationAnswer>& answers, bool confident,
                                        const std::set<std::size_t>& decided) const {
    const PlanPoint* best = nullptr;
    if (const auto& before = confident ? best_confident_ : best_median_) best = &*before;
    std::optional<std::size_t> leader;
    for (std::size_t i = 0; i < answers.size(); ++i)
      for (const PlanPoint& point : answers[i].points)
        if ((confident ? point.confident : point.median_least) && (best == nullptr || better(point, *best))) {
          best = &point;
          leader = i;
        }
    return leader && !decided.contains(*leader) ? leader : std::nullopt;
  }

  // The first points of the ranking, where the search decided none of them by all draws.
  void settle_finalists() {
    while (task_.draws > 1 && !result_.partial) {
      const auto end =
          result_.points.begin() + std::min<std::ptrdiff_t>(task_.finalists, std::ssize(result_.points));
      const auto open = std::find_if(result_.points.begin(), end, [&](const PlanPoint& point) {
        return !point.spread && !settled_.contains(point.configuration);
      });
      if (open == end) return;
      const Configuration configuration = open->configuration;
      const auto place = std::find_if(places_.begin(), places_.end(),
                                      [&](const Place& each) { return each.configuration == configuration; });
      ConfigurationAnswer answer =
          answer_configuration(task_, model_, configuration, place->screened, {}, true);
      settled_.insert(configuration);
      std::erase_if(result_.points,
                    [&](const PlanPoint& point) { return point.configuration == configuration; });
      --result_.with_point;
      take(std::move(answer));
      std::stable_sort(result_.points.begin(), result_.points.end(), better);
    }
  }

  void add_instances_of_best() {
    if (task_.draws < 2 || task_.find_max_rate || task_.autoscaling.on() || result_.partial) return;
    for (PlanPoint& point : result_.points)
      if (point.median_least) {
        if (point.spread)
          point.spread->instances =
              instances_by_draw(task_, model_, point, model_.screen(point.configuration));
        return;
      }
  }

  void take(ConfigurationAnswer answer) {
    result_.short_runs += answer.short_runs;
    result_.whole_runs += answer.whole_runs;
    if (answer.nearest && (!result_.nearest || answer.nearest->binding.use < result_.nearest->binding.use))
      result_.nearest = std::move(answer.nearest);
    if (answer.points.empty()) {
      count(answer.reason, answer.example);
      return;
    }
    ++result_.with_point;
    for (PlanPoint& point : answer.points) {
      const auto lower = [&](std::optional<double>& best) {
        best = std::min(best.value_or(point.objective), point.objective);
      };
      if (point.median_least) {
        lower(incumbents_.median);
        incumbents_.speed_points.push_back(speed_of(point));
        incumbents_.cost_points.push_back(front_cost(point));
      }
      if (point.confident) lower(incumbents_.confident);
      if (point.median_least && (!best_median_ || better(point, *best_median_))) best_median_ = point;
      if (point.confident && (!best_confident_ || better(point, *best_confident_))) best_confident_ = point;
      result_.points.push_back(std::move(point));
    }
  }

  // In the unit of the bound that it is compared with: rent for each request/s.
  Tradeoff front_cost(const PlanPoint& point) const {
    return {point.rent / point.rate, point.figures.metrics.ttft.p95.value()};
  }

  void count(const std::string& reason, const std::string& example) {
    const auto found = std::find_if(result_.without_point.begin(), result_.without_point.end(),
                                    [&](const PlanCount& each) { return each.reason == reason; });
    if (found != result_.without_point.end())
      ++found->configurations;
    else
      result_.without_point.push_back({reason, 1, example});
  }

  void note_bounds(const Screened& screened) {
    if (result_.least_possible.empty())
      for (const SloLimit& limit : task_.level.limits)
        result_.least_possible.push_back({limit.name(), -1, to_milliseconds(limit.limit), 0});
    for (std::size_t i = 0; i < task_.level.limits.size(); ++i) {
      LimitUse& least = result_.least_possible[i];
      const double figure = 1e3 * least_figure(task_.level.limits[i], screened, task_.load);
      if (least.figure < 0 || figure < least.figure) least.figure = figure;
      least.use = least.figure / least.limit;
    }
  }

  // Where bounds alone left everything out, the configuration whose bounds are nearest to the limits says
  // what can be kept.
  void run_nearest() {
    const double rate = task_.find_max_rate ? 0 : task_.load.rate * (1 - task_.unserved_share);
    const Place* nearest = nullptr;
    double least_use = 0;
    for (const Place& place : places_) {
      if (!place.largest || (rate > 0 && rate >= place.most_rate)) continue;
      double use = 0;
      for (const SloLimit& limit : task_.level.limits)
        use = std::max(use, least_figure(limit, place.screened, task_.load) / limit.limit.value());
      if (nearest != nullptr && use >= least_use) continue;
      nearest = &place;
      least_use = use;
    }
    if (nearest == nullptr || (task_.find_max_rate && !std::isfinite(nearest->most_rate))) return;
    constexpr double kLightLoad = 1.0 / 64;  // of the most that the fleet could serve
    const Fleet running_fleet = running(task_, nearest->configuration, *nearest->largest);
    const RunFigures figures =
        model_.run(nearest->configuration, running_fleet,
                   {StepTime::Mid, task_.find_max_rate ? kLightLoad * nearest->most_rate : 0, true});
    ++result_.whole_runs;
    if (figures.refused.empty())
      result_.nearest =
          NearMiss{nearest->configuration, *nearest->largest, binding_limit(task_.level, figures)};
  }

  // What one draw of the load reached, others may miss: the figure that is named is the one that draws are
  // judged by, so that a limit which is set to it is kept.
  void judge_nearest() {
    NearMiss& near = *result_.nearest;
    if (task_.draws < 2 || task_.find_max_rate) return;
    const std::vector<RunFigures> draws =
        runs_of_draws(task_, model_, {near.configuration, near.fleet, {}, task_.threads});
    result_.whole_runs += std::ssize(draws);
    for (const RunFigures& draw : draws)
      if (!draw.refused.empty() || falls_behind(draw)) return;
    for (const DrawnFigure& figure : spread_of(task_, draws).figures) {
      if (figure.name != near.binding.name || figure.sure <= near.binding.figure) continue;
      near.binding.use *= figure.sure / near.binding.figure;
      near.binding.figure = figure.sure;
    }
  }

  void finish() {
    for (const Place& place : places_) result_.most_rate = std::max(result_.most_rate, place.most_rate);
    try {
      if (result_.points.empty() && !result_.nearest && !result_.partial) run_nearest();
      if (result_.points.empty() && result_.nearest && !result_.partial) judge_nearest();
    } catch (const SearchStopped&) {
      result_.partial = true;
    }
    std::stable_sort(result_.points.begin(), result_.points.end(), better);
    try {
      settle_finalists();
      add_instances_of_best();
    } catch (const SearchStopped&) {
      result_.partial = true;
    }
    std::stable_sort(
        result_.without_point.begin(), result_.without_point.end(),
        [](const PlanCount& a, const PlanCount& b) { return a.configurations > b.configurations; });
    std::vector<std::size_t> medians;
    std::vector<Tradeoff> speed, cost;
    for (std::size_t i = 0; i < result_.points.size(); ++i) {
      const PlanPoint& point = result_.points[i];
      if (point.confident && !result_.best_confident) result_.best_confident = i;
      if (!point.median_least) continue;
      if (!result_.best) result_.best = i;
      medians.push_back(i);
      speed.push_back(speed_of(point));
      cost.push_back(front_cost(point));
    }
    for (const std::size_t i : pareto_front(speed)) result_.speed_front.push_back(medians[i]);
    for (const std::size_t i : pareto_front(cost)) result_.cost_front.push_back(medians[i]);
    if (!result_.points.empty()) result_.nearest.reset();
  }

  const PlanTask& task_;
  const ConfigurationModel& model_;
  std::chrono::steady_clock::time_point begin_;
  std::vector<Place> places_;
  Incumbents incumbents_;
  std::optional<PlanPoint> best_median_, best_confident_;  // so far
  std::set<Configuration> settled_;                        // after the search, by all draws
  SearchResult result_;
};

}  // namespace

bool better(const PlanPoint& a, const PlanPoint& b) {
  const auto key = [](const PlanPoint& point) {
    return std::tuple(point.objective, point.gpus, point.figures.metrics.e2el.mean.value());
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return std::tie(a.configuration, a.fleet) < std::tie(b.configuration, b.fleet);
}

SearchResult search_plan(const PlanTask& task, const ConfigurationModel& model) {
  return PlanSearch(task, model).result();
}

}  // namespace warploom
