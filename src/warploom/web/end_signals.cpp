#include "warploom/web/end_signals.h"

#include <cmath>
#include <ctime>

namespace warploom {

EndSignals::EndSignals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
}

EndSignals::~EndSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void EndSignals::wait(double limit_s) const {
  if (limit_s <= 0) {
    int signal = 0;
    sigwait(&set_, &signal);
    return;
  }
  const std::timespec limit{.tv_sec = std::time_t(limit_s),
                            .tv_nsec = long((limit_s - std::floor(limit_s)) * 1e9)};
  sigtimedwait(&set_, nullptr, &limit);
}

}  // namespace warploom
