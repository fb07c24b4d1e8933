// Every scheduler by its engine's name: the one place to add another.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/serving/batching/scheduler.h"

namespace warploom {

std::vector<std::string> scheduler_names();

// Throws NotFound with the nearest names.
std::unique_ptr<Scheduler> make_scheduler(std::string_view engine, const SchedulerLimits& limits);

}  // namespace warploom
