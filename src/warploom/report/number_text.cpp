#include "warploom/report/number_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace warploom {
namespace {

struct Prefix {
  double scale;
  const char* name;
};

std::string with_prefix(double value, std::span<const Prefix> prefixes, std::string_view unit) {
  const Prefix* chosen = &prefixes.front();
  for (const Prefix& prefix : prefixes) {
    if (std::abs(value) >= prefix.scale * 0.9995) chosen = &prefix;
  }
  return fmt::format("{} {}{}", significant_text(value / chosen->scale), chosen->name, unit);
}

constexpr std::array<Prefix, 6> kDecimal{
    {{1.0, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}}};
constexpr std::array<Prefix, 4> kTime{{{1e-9, "n"}, {1e-6, "u"}, {1e-3, "m"}, {1.0, ""}}};

}  // namespace

std::string significant_text(double value) {
  if (!std::isfinite(value)) return "-";
  const double magnitude = std::abs(value);
  if (magnitude >= 99.95 || magnitude == 0.0) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  if (magnitude >= 0.9995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string duration_text(Seconds time) {
  if (time.value() == 0.0) return "0 s";
  return with_prefix(time.value(), kTime, "s");
}

std::string bytes_text(Bytes size) { return with_prefix(size.value(), kDecimal, "B"); }
std::string gibibytes_text(Bytes size) { return significant_text(to_gibibytes(size)) + " GiB"; }
std::string bandwidth_text(BytesPerSecond rate) { return with_prefix(rate.value(), kDecimal, "B/s"); }
std::string rate_text(FlopPerSecond rate) { return with_prefix(rate.value(), kDecimal, "FLOP/s"); }

std::string decimal_text(double value, std::string_view unit) { return with_prefix(value, kDecimal, unit); }

std::string percent_text(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.1f} %", 100.0 * fraction) : "-";
}

std::string fixed_text(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}

std::string host_text(std::string_view engine, std::string_view profile) {
  return fmt::format("{}, host {}", engine, profile);
}

}  // namespace warploom
