#include "warploom/cli/interrupt_watch.h"

#include <cstdlib>
#include <ctime>

#include "warploom/cli/command.h"

namespace warploom {
namespace {

constexpr std::timespec kPoll{.tv_sec = 0, .tv_nsec = 50'000'000};

sigset_t interrupt_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

// A thread that waits for the signal needs no handler, and so no global state.
InterruptWatch::InterruptWatch() {
  const sigset_t set = interrupt_set();
  pthread_sigmask(SIG_BLOCK, &set, &previous_mask_);
  watcher_ = std::jthread([this](const std::stop_token& stop) {
    const sigset_t waited = interrupt_set();
    while (!stop.stop_requested()) {
      if (sigtimedwait(&waited, nullptr, &kPoll) != SIGINT) continue;
      if (interrupted_.exchange(true)) std::_Exit(kStatusOfInterrupt);
      print_note("stopping with what there is; Ctrl-C again ends at once");
    }
  });
}

InterruptWatch::~InterruptWatch() {
  watcher_.request_stop();
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

}  // namespace warploom
