#include "warploom/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "warploom/report/number_text.h"

namespace warploom {
namespace {

// Nothing is said of what is over sooner.
constexpr std::chrono::milliseconds kFirstOnTerminal{1000}, kNextOnTerminal{200};
constexpr std::chrono::seconds kElsewhere{60};

Progress::Place standard_error() {
  return {.terminal = isatty(STDERR_FILENO) == 1,
          .write = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); },
          .now = Progress::Clock::now};
}

std::string time_left(double seconds) {
  if (seconds < 300) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string progress_text(std::int64_t done, std::int64_t total, std::string_view what, double seconds) {
  std::string text = fmt::format("{} of {} {}", count_text(done), count_text(total), what);
  if (done <= 0 || !(seconds > 0)) return text;
  const double rate = double(done) / seconds;
  const std::string per_second =
      rate < 10 ? fmt::format("{:.1f}", rate) : count_text(std::int64_t(std::llround(rate)));
  return text + fmt::format(", {} a second, {} left", per_second, time_left(double(total - done) / rate));
}

Progress::Progress(std::string what) : Progress(std::move(what), standard_error()) {}

Progress::Progress(std::string what, Place place)
    : what_(std::move(what)), place_(std::move(place)), start_(place_.now()) {
  next_ = start_;
  if (place_.terminal)
    next_ += kFirstOnTerminal;
  else
    next_ += kElsewhere;
}

Progress::~Progress() {
  if (shown_ > 0) place_.write("\r" + std::string(shown_, ' ') + "\r");
}

void Progress::at(std::int64_t done, std::int64_t total, std::string_view note) {
  const Clock::time_point now = place_.now();
  if (now < next_) return;
  std::string text = progress_text(done, total, what_, std::chrono::duration<double>(now - start_).count());
  if (!note.empty()) text += fmt::format(" ({})", note);
  if (!place_.terminal) {
    next_ = now + kElsewhere;
    place_.write(text + "\n");
    return;
  }
  next_ = now + kNextOnTerminal;
  const std::size_t length = text.size();
  text.resize(std::max(length, shown_), ' ');
  shown_ = length;
  place_.write("\r" + text);
}

}  // namespace warploom
