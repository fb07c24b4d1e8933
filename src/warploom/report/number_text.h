// Numbers for people: a value with a unit that keeps three significant digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warploom/base/counted.h"
#include "warploom/base/units.h"

namespace warploom {

std::string duration_text(Seconds time);                        // "3.21 us", "12.8 ms", "1.50 s"
std::string bytes_text(Bytes size);                             // "16.1 GB", decimal prefixes
std::string gibibytes_text(Bytes size);                         // "14.9 GiB"
std::string bandwidth_text(BytesPerSecond rate);                // "3.35 TB/s"
std::string rate_text(FlopPerSecond rate);                      // "989 TFLOP/s"
std::string decimal_text(double value, std::string_view unit);  // 1.374e11, "FLOP" -> "137 GFLOP"
std::string percent_text(double fraction);                      // 0.1234 -> "12.3 %"
std::string fixed_text(double value, int decimals);
// Three significant digits without a unit; "-" for NaN.
std::string significant_text(double value);

// "vllm 0.24.0, host public_fleet": the engine and the machine that runs it.
std::string host_text(std::string_view engine, std::string_view profile);

}  // namespace warploom
