// Every scheduler by its engine's name: the one place to add another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warploom/serving/batching/scheduler.h"
#include "warploom/serving/config/serving_config.h"

namespace warploom {

std::vector<std::string> scheduler_names();

// The scheduler of config.engine. Throws NotFound with the nearest names.
std::unique_ptr<Scheduler> make_scheduler(const ServingConfig& config);

}  // namespace warploom
