#include "warploom/planner/what_if.h"

#include <algorithm>
#include <cmath>

#include "warploom/planner/configuration_answer.h"
#include "warploom/planner/fleet_bounds.h"
#include "warploom/planner/load_draws.h"
#include "warploom/planner/saturation.h"

namespace warploom {
namespace {

// `runs`: the instances of the point that work.
WhatIf judged(const PlanTask& task, const ConfigurationModel& model, std::string question, PlanPoint point,
              const Fleet& runs) {
  WhatIf answer{.question = std::move(question)};
  answer.meets = meets(task, point.figures);
  answer.binding = binding_limit(task.level, point.figures);
  const double most = saturated_rate(task, model, point.configuration, runs, StepTime::Mid);
  if (std::isfinite(most)) point.saturated_rate = most;
  if (!is_sustained(task, point.rate, most)) {
    answer.meets = false;
    answer.binding = saturation_use(task, point.rate, most);
  }
  answer.point = std::move(point);
  return answer;
}

// As the best was: what one draw would have bought is none where they miss a limit together.
void judge_by_draws(const PlanTask& task, const ConfigurationModel& model, const Fleet& runs,
                    const RunQuestion& question, WhatIf& answer) {
  const RunFigures& first = answer.point->figures;
  std::vector<RunFigures> draws{first};
  for (std::int64_t draw = 1; draw < task.draws; ++draw) {
    RunQuestion other = question;
    other.draw = draw;
    if (task.load.open_ended) other.requests = first.length.simulated;
    draws.push_back(model.run(answer.point->configuration, runs, other));
  }
  answer.meets = meets_over_draws(task, draws);
  answer.point->spread = spread_of(task, draws);
  for (const DrawnFigure& figure : answer.point->spread->figures)
    if (!figure.kept)
      answer.binding = {figure.name, figure.sure, figure.limit, figure.sure / figure.limit, 0, 0};
}

// The next cheaper fleet, under the same rate.
std::optional<WhatIf> one_fewer(const PlanTask& task, const ConfigurationModel& model, const PlanPoint& best,
                                const Screened& screened) {
  Fleet fewer = best.fleet;
  const bool decodes = best.configuration.decode && fewer.decode >= fewer.instances;
  std::int64_t& instances = decodes ? fewer.decode : fewer.instances;
  if (--instances <= task.spare_instances) return std::nullopt;
  const double rate = task.find_max_rate ? best.rate : 0;
  const Fleet runs = running(task, best.configuration, fewer);
  const RunQuestion question{StepTime::Mid, rate, true};
  const RunFigures figures = model.run(best.configuration, runs, question);
  WhatIf answer = judged(task, model, "one instance fewer",
                         point_of(task, best.configuration, screened, fewer, best.rate, figures), runs);
  if (answer.meets && best.spread) judge_by_draws(task, model, runs, question, answer);
  return answer;
}

// What is rented as spot may be taken back at any time, all of it at once. Spare instances, which no other
// run has, then help out.
std::optional<WhatIf> without_spot(const PlanTask& task, const ConfigurationModel& model,
                                   const PlanPoint& best, const Screened& screened) {
  Fleet left = best.fleet;
  for (const RentedShare& share : best.shares)
    if (share.kind == PriceKind::Spot) {
      left.instances -= share.fleet.instances;
      left.decode -= share.fleet.decode;
    }
  const std::int64_t least = task.autoscaling.on() ? task.autoscaling.min_instances : 1;
  if (left == best.fleet || left.instances < least || (best.configuration.decode && left.decode < least))
    return std::nullopt;
  Fleet runs = running(task, best.configuration, best.fleet);
  runs = {std::min(runs.instances, left.instances), std::min(runs.decode, left.decode)};
  const double rate = task.find_max_rate ? best.rate : 0;
  const RunFigures figures = model.run(best.configuration, runs, {StepTime::Mid, rate, true});
  return judged(task, model, "all spot instances taken back",
                point_of(task, best.configuration, screened, left, best.rate, figures), runs);
}

std::optional<WhatIf> next_gpu(const PlanTask& task, const ConfigurationModel& model,
                               const SearchResult& result, const PlanPoint& best) {
  const double own = task.rent[0].gpu_hour_price[best.configuration.shape.gpu];
  const PlanPoint* found = nullptr;
  for (const PlanPoint& point : result.points) {  // best first
    const double price = task.rent[0].gpu_hour_price[point.configuration.shape.gpu];
    if (point.median_least && price > own &&
        (found == nullptr || price < task.rent[0].gpu_hour_price[found->configuration.shape.gpu]))
      found = &point;
  }
  if (found == nullptr) return std::nullopt;
  return judged(task, model, "the next dearer GPU", *found,
                running(task, found->configuration, found->fleet));
}

std::optional<WhatIf> more_load(const PlanTask& task, const ConfigurationModel& model, const PlanPoint& best,
                                const Screened& screened) {
  if (task.load.rate <= 0 || task.find_max_rate) return std::nullopt;
  PlanTask larger = task;
  larger.load.rate *= kMoreLoad;
  std::optional<WhatIf> last;
  const auto price = [&](const Fleet& fleet) { return rent(task, best.configuration, fleet); };
  for (const Fleet& fleet : fleets_within(task, best.configuration)) {
    const Fleet runs = running(task, best.configuration, fleet);
    const auto size = [&](const Fleet& any) {
      return std::pair(price(any), gpus_of(best.configuration, any));
    };
    if (size(fleet) < size(best.fleet) || larger.load.rate >= most_rate(best.configuration, screened, runs))
      continue;
    const double most = saturated_rate(task, model, best.configuration, runs, StepTime::Mid);
    if (!is_sustained(larger, larger.load.rate, most)) continue;
    const RunFigures figures = model.run(best.configuration, runs, {StepTime::Mid, larger.load.rate, true});
    last = judged(larger, model, "load x 1.5",
                  point_of(larger, best.configuration, screened, fleet, larger.load.rate, figures), runs);
    if (last->meets) break;
  }
  return last;
}

}  // namespace

std::vector<WhatIf> what_ifs(const PlanTask& task, const ConfigurationModel& model,
                             const SearchResult& result) {
  std::vector<WhatIf> answers;
  if (!result.best) return answers;
  const PlanPoint& best = result.points[*result.best];
  const Screened screened = model.screen(best.configuration);
  if (auto answer = one_fewer(task, model, best, screened)) answers.push_back(std::move(*answer));
  if (auto answer = without_spot(task, model, best, screened)) answers.push_back(std::move(*answer));
  if (auto answer = next_gpu(task, model, result, best)) answers.push_back(std::move(*answer));
  if (auto answer = more_load(task, model, best, screened)) answers.push_back(std::move(*answer));
  return answers;
}

std::string relaxing_advice(const RunFigures& figures, const LimitUse& binding) {
  constexpr double kMostlyWaiting = 0.5;
  const bool first_token = binding.name.find("ttft") != std::string::npos;
  if (figures.preemptions > 0)
    return "more KV cache: more GPUs for each instance, a smaller element type, or fewer requests in a batch";
  if (first_token && figures.queue_share > kMostlyWaiting)
    return "requests wait: more instances, or a larger token budget of a step";
  if (first_token)
    return "prompts take long themselves: more GPUs for each instance, a faster GPU, or a smaller scheme";
  if (binding.name.find("tpot") != std::string::npos || binding.name.find("itl") != std::string::npos)
    return "steps are long: more GPUs for each instance, more instances, or a smaller token budget of a step";
  return "more instances, or more GPUs for each";
}

}  // namespace warploom
