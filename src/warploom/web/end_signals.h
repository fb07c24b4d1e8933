// The signals that tell a server to end.
#pragma once

#include <csignal>

namespace warploom {

// While it lives, SIGINT and SIGTERM wait to be asked for. Made before any other thread, which inherit that.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Returns when one of them came, or after `limit_s` seconds; 0: without end.
  void wait(double limit_s) const;

 private:
  sigset_t set_{}, before_{};
};

}  // namespace warploom
