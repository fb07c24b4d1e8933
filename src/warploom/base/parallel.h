// Independent tasks on a few threads.
#pragma once

#include <cstddef>
#include <functional>

namespace warploom {

// Runs tasks 0..count-1, started in order; threads 0: all of the machine's. The first exception is thrown on.
void run_tasks(std::size_t count, int threads, const std::function<void(std::size_t)>& task);

}  // namespace warploom
