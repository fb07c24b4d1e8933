#include "warploom/collector/watchdog.h"

#include <chrono>
#include <utility>

namespace warploom::collector {

Watchdog::Watchdog(double seconds, std::function<void(const std::string&)> on_silence)
    : seconds_(seconds), on_silence_(std::move(on_silence)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::beat(std::string doing) {
  {
    const std::lock_guard lock(mutex_);
    doing_ = std::move(doing);
    ++beats_;
  }
  changed_.notify_all();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    const std::uint64_t seen = beats_;
    const bool alive = changed_.wait_for(lock, std::chrono::duration<double>(seconds_),
                                         [&] { return ended_ || beats_ != seen; });
    if (alive) continue;
    const std::string doing = doing_;
    lock.unlock();
    on_silence_(doing);
    return;
  }
}

}  // namespace warploom::collector
