// Notices a device that no longer answers: calls into a driver cannot be given a time limit.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace warploom::collector {

// Calls `on_silence` once, from a thread of its own, when no beat() came for `seconds`, with the text of the
// last one. Thread-safe.
class Watchdog {
 public:
  Watchdog(double seconds, std::function<void(const std::string&)> on_silence);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void beat(std::string doing);

 private:
  void watch();

  const double seconds_;
  const std::function<void(const std::string&)> on_silence_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string doing_;
  std::uint64_t beats_ = 0;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace warploom::collector
