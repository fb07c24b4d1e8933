// The program's own measurement file: CSV, one row per measurement, plain or gzip when read.
//
//   gpu         canonical name or alias; unknown names are refused
//   framework, version, kernel   the implementation; may be empty
//   latency_us  microseconds, > 0
//   n_samples   timings behind the latency (their median), >= 1
//   marks       empty or names joined by '+': launch_bound, biased, derived, source_test;
//               or `throttled` alone: timed while the clock was held down, left out by readers
//   operator    JSON of kernels/operator_json.h, for example
//               {"family": "gemm", "scheme": "bf16", "m": 16, "n": 4096, "k": 4096, "residency": "warm"}
//
// warploom-collect adds the device's state beside each row (interval, outliers, sm_clock_mhz,
// memory_clock_mhz, power_w, temperature_c, throttle, algorithm), which is not learned from.
// gpu, latency_us and operator are required; other columns may be absent, and unknown ones are refused.
// The first lines may be notes that start with '#'.
#pragma once

#include <filesystem>
#include <string>

#include "warploom/measurements/dataset.h"

namespace warploom {

// The text of the file. read(write(dataset)) == dataset, latencies to 1e-15 relative.
std::string warploom_csv_text(const Dataset& dataset);

// Writes whole or not at all. Throws IoError.
void write_warploom_csv(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace warploom
