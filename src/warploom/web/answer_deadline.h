// Ends one answer when its time is over, its client is gone or the server ends.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace warploom {

// Thrown out of a use case that was asked to end.
class AnswerEnded : public std::runtime_error {
 public:
  AnswerEnded() : std::runtime_error("the answer was ended") {}
};

// These look at the flag themselves, and answer with what they have; nothing is thrown out of them.
inline bool ends_with_a_part(std::string_view request) { return request == "simulate" || request == "plan"; }

class AnswerDeadline {
 public:
  // `is_gone` may be empty. `ending` must outlive this.
  AnswerDeadline(std::chrono::milliseconds limit, std::function<bool()> is_gone,
                 const std::atomic<bool>& ending)
      : end_(std::chrono::steady_clock::now() + limit),
        is_gone_(std::move(is_gone)),
        ending_(ending),
        watcher_([this](const std::stop_token& stop) { watch(stop); }) {}

  const std::atomic<bool>& passed() const { return passed_; }
  // What passed, for the client that is still there.
  bool is_ending() const { return ending_; }

 private:
  static constexpr std::chrono::milliseconds kLook{100};

  void watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested() && !passed_) {
      woken_.wait_for(lock, stop, kLook, [] { return false; });
      if (ending_ || std::chrono::steady_clock::now() >= end_ || (is_gone_ && is_gone_())) passed_ = true;
    }
  }

  std::chrono::steady_clock::time_point end_;
  std::function<bool()> is_gone_;
  const std::atomic<bool>& ending_;
  std::atomic<bool> passed_{false};
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread watcher_;  // last: it uses the rest
};

}  // namespace warploom
