// The conversions that all published feature vectors share.
#pragma once

#include <cstdint>

#include "warploom/baselines/pipeweave/published_vector.h"

namespace warploom::published {

inline Pipe pipe(double total_ops, double busiest_ops, double ops_per_clock, const Hardware& gpu) {
  return {total_ops, total_ops / (gpu.sms * ops_per_clock), busiest_ops, busiest_ops / ops_per_clock};
}

// Arguments in bytes.
inline Memory memory(double total, double busiest, const Hardware& gpu) {
  // GiB over GB/s: the published mix of units.
  const auto cycles = [&](double bytes, double gb_per_s) {
    return bytes / (1024.0 * 1024 * 1024) / gb_per_s * gpu.clock_mhz * 1e6;
  };
  return {.total_kib = total / 1024,
          .dram_cycles = cycles(total, gpu.dram_gb_per_s),
          .l2_cycles = cycles(total, gpu.l2_gb_per_s),
          .busiest_kib = busiest / 1024,
          .busiest_dram_cycles = cycles(busiest, gpu.dram_gb_per_s / gpu.sms),
          .busiest_shared_cycles = busiest / gpu.shared_bytes_per_clock,
          .busiest_l2_cycles = cycles(busiest, gpu.l2_gb_per_s / gpu.sms)};
}

// Throws InvalidInput naming `what` unless value >= 1.
void check_positive(std::int64_t value, const char* what);

}  // namespace warploom::published
