// Simulated time in integer nanoseconds: exact, so that a run gives the same bytes everywhere.
// SimTime is a point (since the start of the run), SimDuration a difference; neither mixes with plain
// numbers. The range is 292 years either way, beyond it InvalidInput; readers of traces refuse times beyond
// 1e9 seconds.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

#include "warploom/base/units.h"

namespace warploom {

namespace detail {
// Throws InvalidInput: the range is left, by this many seconds or by adding up.
[[noreturn]] void refuse_sim_time(Seconds seconds);

constexpr std::int64_t add_nanoseconds(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) refuse_sim_time(Seconds(double(a) * 1e-9 + double(b) * 1e-9));
  return sum;
}
}  // namespace detail

class SimDuration {
 public:
  constexpr SimDuration() = default;
  constexpr explicit SimDuration(std::int64_t nanoseconds) : nanoseconds_(nanoseconds) {}
  constexpr std::int64_t nanoseconds() const { return nanoseconds_; }
  constexpr Seconds seconds() const { return Seconds(double(nanoseconds_) * 1e-9); }
  constexpr auto operator<=>(const SimDuration&) const = default;
  constexpr SimDuration& operator+=(SimDuration other) {
    nanoseconds_ = detail::add_nanoseconds(nanoseconds_, other.nanoseconds_);
    return *this;
  }
  friend constexpr SimDuration operator+(SimDuration a, SimDuration b) {
    return SimDuration(detail::add_nanoseconds(a.nanoseconds_, b.nanoseconds_));
  }
  friend constexpr SimDuration operator-(SimDuration a, SimDuration b) {
    return SimDuration(a.nanoseconds_ - b.nanoseconds_);
  }

 private:
  std::int64_t nanoseconds_ = 0;
};

class SimTime {
 public:
  constexpr SimTime() = default;
  constexpr explicit SimTime(std::int64_t nanoseconds) : nanoseconds_(nanoseconds) {}
  constexpr std::int64_t nanoseconds() const { return nanoseconds_; }
  constexpr Seconds seconds() const { return Seconds(double(nanoseconds_) * 1e-9); }
  constexpr auto operator<=>(const SimTime&) const = default;
  friend constexpr SimTime operator+(SimTime t, SimDuration d) {
    return SimTime(detail::add_nanoseconds(t.nanoseconds_, d.nanoseconds()));
  }
  friend constexpr SimDuration operator-(SimTime a, SimTime b) {
    return SimDuration(a.nanoseconds_ - b.nanoseconds_);
  }

 private:
  std::int64_t nanoseconds_ = 0;
};

// Later than any event.
constexpr SimTime kNever{std::numeric_limits<std::int64_t>::max()};

// The nearest nanosecond. Throws InvalidInput on times beyond 9e9 seconds and on NaN.
inline std::int64_t to_nanoseconds(Seconds s) {
  constexpr double kMostNanoseconds = 9e18;
  const double nanoseconds = s.value() * 1e9;
  if (!(std::abs(nanoseconds) <= kMostNanoseconds)) detail::refuse_sim_time(s);
  // std::llround, without a call.
  const auto whole = std::int64_t(nanoseconds);
  const double rest = nanoseconds - double(whole);
  return whole + std::int64_t(rest >= 0.5) - std::int64_t(rest <= -0.5);
}
inline SimDuration to_sim_duration(Seconds s) { return SimDuration(to_nanoseconds(s)); }
inline SimTime to_sim_time(Seconds s) { return SimTime(to_nanoseconds(s)); }

}  // namespace warploom
