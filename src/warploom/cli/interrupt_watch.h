// Ctrl-C asks a long run to stop instead of killing it; a second Ctrl-C kills.
#pragma once

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace warploom {

// The exit status of a program that SIGINT ends.
inline constexpr int kStatusOfInterrupt = 128 + SIGINT;

// Thrown when all is printed that an interrupted run left: nobody may take a part for the whole.
class InterruptedRun : public std::runtime_error {
 public:
  InterruptedRun() : std::runtime_error("interrupted") {}
};

// While one lives, SIGINT sets interrupted() in place of its default action. Make it before any other thread.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  const std::atomic<bool>& interrupted() const { return interrupted_; }

 private:
  std::atomic<bool> interrupted_{false};
  sigset_t previous_mask_{};
  std::jthread watcher_;
};

}  // namespace warploom
