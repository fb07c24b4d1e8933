#include "warploom/planner/instances_by_draw.h"

#include <algorithm>

#include "warploom/base/parallel.h"
#include "warploom/planner/configuration_answer.h"
#include "warploom/planner/fleet_bounds.h"
#include "warploom/planner/saturation.h"

namespace warploom {

InstanceSpread instances_by_draw(const PlanTask& task, const ConfigurationModel& model,
                                 const PlanPoint& point, const Screened& screened) {
  const std::vector<Fleet> fleets = fleets_within(task, point.configuration);
  const auto at = std::size_t(std::find(fleets.begin(), fleets.end(), point.fleet) - fleets.begin());
  const auto keeps = [&](std::size_t i, std::int64_t draw) {
    const Fleet runs = running(task, point.configuration, fleets[i]);
    if (task.load.rate * (1 - task.unserved_share) >= most_rate(point.configuration, screened, runs))
      return false;
    const double most = saturated_rate(task, model, point.configuration, runs, StepTime::Mid);
    if (!is_sustained(task, task.load.rate, most)) return false;
    RunQuestion question;
    question.draw = draw;
    return meets(task, model.run(point.configuration, runs, question));
  };
  std::vector<std::int64_t> instances(std::size_t(task.draws), 0);
  parallel_for(instances.size(), task.threads, [&](std::size_t draw) {
    std::size_t least = at;
    if (keeps(at, std::int64_t(draw)))
      while (least > 0 && at - least < kFleetsApart && keeps(least - 1, std::int64_t(draw))) --least;
    else
      while (least + 1 < fleets.size() && least - at < kFleetsApart && !keeps(least, std::int64_t(draw)))
        ++least;
    instances[draw] = fleets[least].instances + fleets[least].decode;
  });
  const auto [low, high] = std::minmax_element(instances.begin(), instances.end());
  return {*low, *high};
}

}  // namespace warploom
