// Which connections wait for a next request, and until when.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace warploom {

class KeptConnections {
 public:
  KeptConnections(std::chrono::milliseconds patience, std::size_t threads)
      : patience_(patience), threads_(threads), ended_(::eventfd(0, EFD_CLOEXEC)) {}
  ~KeptConnections() { ::close(ended_); }
  KeptConnections(const KeptConnections&) = delete;
  KeptConnections& operator=(const KeptConnections&) = delete;

  // A thread that has a connection.
  class Held {
   public:
    explicit Held(KeptConnections& all) : all_(all) { ++all_.held_; }
    ~Held() { --all_.held_; }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    KeptConnections& all_;
  };

  // Whether a connection may wait: the other half of the threads is for clients that have none.
  bool has_room() const { return patience_.count() > 0 && 2 * held_ <= threads_; }

  // Waits for a next request. False when none came in time, or all is to end; true also where the client has
  // left, which reading then says.
  bool next_comes(int socket) const {
    std::array<pollfd, 2> both{
        {{.fd = socket, .events = POLLIN, .revents = 0}, {.fd = ended_, .events = POLLIN, .revents = 0}}};
    int ready = 0;
    do ready = ::poll(both.data(), both.size(), static_cast<int>(patience_.count()));
    while (ready < 0 && errno == EINTR);
    return ready > 0 && both[1].revents == 0;
  }

  // No connection waits any longer.
  void end() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(ended_, &one, sizeof one);
  }

 private:
  std::chrono::milliseconds patience_;
  std::size_t threads_;
  int ended_;
  std::atomic<std::size_t> held_{0};
};

}  // namespace warploom
