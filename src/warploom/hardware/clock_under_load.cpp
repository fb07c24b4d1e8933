#include "warploom/hardware/clock_under_load.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

constexpr double kOlderProcess = 8;     // nm, from which constants.older_process holds
constexpr double kOperations = 1024;    // that the energies are of
constexpr double kPerNanojoule = 1e-9;  // J

// Nanojoules of kOperations bf16 operations.
double product_energy(const GpuSpec& gpu, const PowerConstants& c) {
  const LargestPart& largest = gpu.largest;
  if (largest.watts > 0)
    return (c.flagship_draw * largest.watts / largest.clocks() - c.idle_nanojoules) /
           (largest.rate / kOperations);
  return c.product_nanojoules * (gpu.process_nm >= kOlderProcess ? c.older_process : 1.0);
}

// Nanojoules of a clock of an SM whose matrix units never wait, above idle.
double clock_energy(const GpuSpec& gpu, const MatrixLoad& load, const PowerConstants& c) {
  return std::max(product_energy(gpu, c), 0.0) * load.energy * load.rate / kOperations;
}

double slowdown_by_own_limit(const GpuSpec& gpu, const MatrixLoad& load, const PowerConstants& c) {
  if (gpu.power_limit.value() <= 0) return 1;
  const double energy = c.idle_nanojoules + load.busy * clock_energy(gpu, load, c);
  const double need = kPerNanojoule * gpu.sm_cycles_per_second() * energy / gpu.power_limit.value();
  return need > 1 ? std::pow(need, c.clock_exponent) : 1.0;
}

LoadedClock by_largest_part(const GpuSpec& gpu, const MatrixLoad& load, const PowerConstants& c) {
  const LargestPart& largest = gpu.largest;
  const double limit = gpu.power_limit.value();
  LoadedClock clock{.hertz = gpu.max_clock.value() * largest.boost_ghz / largest.highest_ghz};
  if (limit <= 0) {
    clock.slowdown = slowdown_by_own_limit(gpu, load, c);
    return clock;
  }
  const double need = largest.clocks() * (c.idle_nanojoules + clock_energy(gpu, load, c)) / largest.watts;
  const double watts_per_sm = (limit / double(gpu.sm_count)) / (largest.watts / largest.sms);
  const double faster = 1e-9 * clock.hertz / largest.boost_ghz;
  clock.slowdown = std::max(1.0, std::pow(need, c.clock_exponent) * faster / std::cbrt(watts_per_sm));
  return clock;
}

}  // namespace

LoadedClock clock_under_load(const GpuSpec& gpu, ClockRule rule, const MatrixLoad& load,
                             const PowerConstants& constants) {
  switch (rule) {
    case ClockRule::Highest:
      return {.hertz = gpu.max_clock.value()};
    case ClockRule::DataSheet:
      return {.hertz = gpu.boost_clock.value()};
    case ClockRule::LargestPart:
      if (gpu.largest.watts > 0) return by_largest_part(gpu, load, constants);
      break;
    case ClockRule::Limited:
      break;
  }
  return {.hertz = gpu.boost_clock.value(), .slowdown = slowdown_by_own_limit(gpu, load, constants)};
}

}  // namespace warploom
