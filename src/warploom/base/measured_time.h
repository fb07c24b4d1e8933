// Measured times in tables of others: one rule of what can be one.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"

namespace warploom {

// Seconds. A processor's clock ticks about as often as every 0.3 ns and nothing that is timed takes one tick:
// what is shorter is damaged or of another unit, and relative errors of it are beyond any number.
inline constexpr double kLeastMeasuredTime = 1e-9;

struct TimeUnit {
  double seconds;
  std::string_view name;
};
inline constexpr TimeUnit kMilliseconds{1e-3, "ms"}, kMicroseconds{1e-6, "us"};

// The cell, in its own unit. Throws InvalidInput naming it when it is empty, no number or less than `least`
// seconds.
inline double measured_time(const CsvReader& csv, std::size_t column, const TimeUnit& unit,
                            double least = kLeastMeasuredTime) {
  const double value = csv.real(column);
  if (!(value * unit.seconds >= least))
    throw InvalidInput(fmt::format("{}: is {} {}, expected a measured time of at least {:g} {}",
                                   csv.where(column), csv.cell(column), unit.name, least / unit.seconds,
                                   unit.name));
  return value;
}

}  // namespace warploom
