// Ctrl-C asks a long run to stop instead of killing it; a second Ctrl-C kills.
#pragma once

#include <atomic>
#include <csignal>
#include <thread>

namespace warploom {

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
