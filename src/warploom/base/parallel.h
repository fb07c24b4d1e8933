// The one parallel loop of the program: independent tasks on a few threads.
//
// Tasks are started in the order of their numbers, and each writes only what is its own, so results depend
// neither on the number of threads nor on which thread ran what. A task that throws cancels those that are
// not started yet; when all threads are back, the exception of the lowest number is thrown on, which is the
// same one for any number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace warploom {

std::size_t machine_threads();  // at least 1

using ParallelTask = std::function<void(std::size_t)>;

// Runs task(0) to task(count - 1) on `threads` threads (0: as many as the machine has), the caller's among
// them.
void parallel_for(std::size_t count, std::size_t threads, const ParallelTask& task);

// The same for tasks that need working memory: each thread makes a task of its own. Which tasks share that
// memory is left to chance, so it must not carry anything from one to the next.
void parallel_for_each_thread(std::size_t count, std::size_t threads,
                              const std::function<ParallelTask()>& make_task);

}  // namespace warploom
