// Simulated time in integer nanoseconds: exact, so that a run gives the same bytes everywhere.
// SimTime is a point (since the start of the run), SimDuration a difference; neither mixes with plain
// numbers. The range is 292 years either way; readers of traces refuse times beyond 1e9 seconds.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

#include "warploom/base/units.h"

namespace warploom {

class SimDuration {
 public:
  constexpr SimDuration() = default;
  constexpr explicit SimDuration(std::int64_t nanoseconds) : nanoseconds_(nanoseconds) {}
  constexpr std::int64_t nanoseconds() const { return nanoseconds_; }
  constexpr Seconds seconds() const { return Seconds(double(nanoseconds_) * 1e-9); }
  constexpr auto operator<=>(const SimDuration&) const = default;
  constexpr SimDuration& operator+=(SimDuration other) {
    nanoseconds_ += other.nanoseconds_;
    return *this;
  }
  friend constexpr SimDuration operator+(SimDuration a, SimDuration b) {
    return SimDuration(a.nanoseconds_ + b.nanoseconds_);
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
    return SimTime(t.nanoseconds_ + d.nanoseconds());
  }
  friend constexpr SimDuration operator-(SimTime a, SimTime b) {
    return SimDuration(a.nanoseconds_ - b.nanoseconds_);
  }

 private:
  std::int64_t nanoseconds_ = 0;
};

// Later than any event.
constexpr SimTime kNever{std::numeric_limits<std::int64_t>::max()};

// Rounds to the nearest nanosecond. |s| must be below 9e9 seconds.
inline SimDuration to_sim_duration(Seconds s) { return SimDuration(std::llround(s.value() * 1e9)); }
inline SimTime to_sim_time(Seconds s) { return SimTime(std::llround(s.value() * 1e9)); }

}  // namespace warploom
