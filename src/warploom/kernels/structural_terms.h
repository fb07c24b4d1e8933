// What the structural bases share: their tables of constants and a little arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "warploom/hardware/clock_under_load.h"
#include "warploom/kernels/constant_spec.h"

namespace warploom {

// The tables of the bases that have no header of their own for them (base_constants.h).
std::span<const ConstantSpec> mla_module_constants();
std::span<const ConstantSpec> moe_constants();
std::span<const ConstantSpec> linear_attention_constants();
std::span<const ConstantSpec> collective_constants();
std::span<const ConstantSpec> stream_constants();

// Seconds of launches that take `clocks` at the reference clock: they shrink with the highest clock to the
// fitted power.
inline constexpr double kReferenceClock = 1.9e9;  // Hz, about that of H100 and B200
inline double launch_seconds(double clocks, const GpuSpec& gpu, double power) {
  const double clock = clock_under_load(gpu, ClockRule::Highest).hertz;
  return clocks / kReferenceClock * std::pow(kReferenceClock / clock, power);
}

inline double ceil_div(double a, double b) { return std::ceil(a / b); }
// Share of the last wave of `waves` waves that is filled, in (0, 1].
inline double wave_fill(double waves) { return waves / std::ceil(waves); }
// (a^p + b^p)^(1/p), a and b positive.
inline double power_sum(double a, double b, double p) {
  const double most = std::max(a, b), ratio = std::min(a, b) / most;
  return most * std::pow(1 + std::pow(ratio, p), 1 / p);
}

}  // namespace warploom
