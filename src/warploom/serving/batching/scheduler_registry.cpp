#include "warploom/serving/batching/scheduler_registry.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/serving/batching/sglang_scheduler.h"
#include "warploom/serving/batching/trtllm_scheduler.h"
#include "warploom/serving/batching/vllm_scheduler.h"

namespace warploom {
namespace {

using Maker = std::unique_ptr<Scheduler> (*)(const SchedulerLimits&);

template <class S>
std::unique_ptr<Scheduler> make(const SchedulerLimits& limits) {
  return std::make_unique<S>(limits);
}

constexpr std::array<std::pair<std::string_view, Maker>, 3> kSchedulers{
    {{"vllm", &make<VllmScheduler>}, {"sglang", &make<SglangScheduler>}, {"trtllm", &make<TrtllmScheduler>}}};

}  // namespace

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  for (const auto& entry : kSchedulers) names.emplace_back(entry.first);
  return names;
}

std::unique_ptr<Scheduler> make_scheduler(std::string_view engine, const SchedulerLimits& limits) {
  for (const auto& [name, maker] : kSchedulers) {
    if (name == engine) return maker(limits);
  }
  const auto names = scheduler_names();
  throw NotFound(fmt::format("engine: no scheduler named '{}', expected one of: {}{}", engine,
                             fmt::join(names, ", "), did_you_mean(engine, names)));
}

}  // namespace warploom
