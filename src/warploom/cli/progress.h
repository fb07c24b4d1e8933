// How far a long computation is, on standard error: one line that changes on a terminal, a line a minute
// elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warploom {

// "12,300 of 1,000,000 requests, 51,000 a second, 19 s left"; `seconds` have passed since the start.
std::string progress_text(std::int64_t done, std::int64_t total, std::string_view what, double seconds);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  struct Place {
    bool terminal = false;
    std::function<void(std::string_view)> write;
    std::function<Clock::time_point()> now;
  };
  // Progress of `what` ("requests"), to standard error.
  explicit Progress(std::string what);
  Progress(std::string what, Place place);
  // Clears the line of a terminal.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Called as often as one likes, by one thread at a time. `note` goes behind the line.
  void at(std::int64_t done, std::int64_t total, std::string_view note = {});

 private:
  std::string what_;
  Place place_;
  Clock::time_point start_, next_;
  std::size_t shown_ = 0;  // characters on the terminal's line
};

}  // namespace warploom
