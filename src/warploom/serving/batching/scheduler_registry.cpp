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

using Maker = std::unique_ptr<Scheduler> (*)(const ServingConfig&);

template <class S, auto limits_of>
std::unique_ptr<Scheduler> make(const ServingConfig& config) {
  return std::make_unique<S>(limits_of(config));
}

constexpr std::array<std::pair<std::string_view, Maker>, 3> kSchedulers{
    {{"vllm", &make<VllmScheduler, &vllm_limits>},
     {"sglang", &make<SglangScheduler, &sglang_limits>},
     {"trtllm", &make<TrtllmScheduler, &trtllm_limits>}}};

}  // namespace

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  for (const auto& entry : kSchedulers) names.emplace_back(entry.first);
  return names;
}

std::unique_ptr<Scheduler> make_scheduler(const ServingConfig& config) {
  for (const auto& [name, maker] : kSchedulers) {
    if (name == config.engine) return maker(config);
  }
  const auto names = scheduler_names();
  throw NotFound(fmt::format("engine: no scheduler named '{}', expected one of: {}{}", config.engine,
                             fmt::join(names, ", "), did_you_mean(config.engine, names)));
}

}  // namespace warploom
