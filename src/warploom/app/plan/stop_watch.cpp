#include "warploom/app/plan/stop_watch.h"

namespace warploom {
namespace {

constexpr std::chrono::milliseconds kPoll{20};

}  // namespace

StopWatch::StopWatch(const std::atomic<bool>* cancelled, double time_limit) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                             std::chrono::duration<double>(time_limit));
  watcher_ = std::jthread([this, cancelled, time_limit, end](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      const bool over = time_limit > 0 && std::chrono::steady_clock::now() >= end;
      if (over || (cancelled != nullptr && *cancelled)) {
        stopped_ = true;
        return;
      }
      std::this_thread::sleep_for(kPoll);
    }
  });
}

}  // namespace warploom
