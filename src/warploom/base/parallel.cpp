#include "warploom/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace warploom {
namespace {

// The failure with the lowest task number.
class FirstFailure {
 public:
  bool any() const { return any_; }
  void keep(std::size_t task, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (any_ && task_ <= task) return;
    task_ = task;
    failure_ = std::move(failure);
    any_ = true;
  }
  void throw_on() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> any_{false};
  std::size_t task_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::size_t machine_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void parallel_for_each_thread(std::size_t count, std::size_t threads,
                              const std::function<ParallelTask()>& make_task) {
  std::atomic<std::size_t> next{0};
  FirstFailure failure;
  // A number that was handed out is always run: every lower one is then run too, and the lowest failure is
  // found whatever the threads do.
  const auto work = [&] {
    ParallelTask task;
    while (!failure.any()) {
      const std::size_t i = next++;
      if (i >= count) return;
      try {
        if (!task) task = make_task();
        task(i);
      } catch (...) {
        failure.keep(i, std::current_exception());
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(threads > 0 ? threads : machine_threads(), count); ++t) try {
        others.emplace_back(work);
      } catch (const std::system_error&) {
        break;  // the machine gives no more threads: these do the work
      }
    work();
  }
  failure.throw_on();
}

void parallel_for(std::size_t count, std::size_t threads, const ParallelTask& task) {
  parallel_for_each_thread(count, threads, [&] { return ParallelTask(std::cref(task)); });
}

}  // namespace warploom
