// Strong physical quantities in SI units. Conversions happen only in codecs and printing.
//
// A Quantity holds one double in the SI unit of its dimension. Quantities of one dimension add, subtract,
// compare and divide to a plain ratio; the few products the domain needs are spelled out below.
// 1 GB is 1e9 bytes everywhere; 1 GiB (2^30) appears only where its name says so.
#pragma once

#include <compare>

namespace warploom {

template <class Dimension>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  // The value in the SI unit of the dimension.
  constexpr double value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  constexpr Quantity& operator*=(double factor) {
    value_ *= factor;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double f) { return Quantity(a.value_ * f); }
  friend constexpr Quantity operator*(double f, Quantity a) { return Quantity(a.value_ * f); }
  friend constexpr Quantity operator/(Quantity a, double f) { return Quantity(a.value_ / f); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

 private:
  double value_ = 0.0;
};

using Seconds = Quantity<struct SecondsDimension>;                // s
using Bytes = Quantity<struct BytesDimension>;                    // B
using Flop = Quantity<struct FlopDimension>;                      // floating-point (or integer) operations
using Hertz = Quantity<struct HertzDimension>;                    // 1/s
using BytesPerSecond = Quantity<struct BytesPerSecondDimension>;  // B/s
using FlopPerSecond = Quantity<struct FlopPerSecondDimension>;    // FLOP/s
using Watts = Quantity<struct WattsDimension>;                    // W

constexpr Seconds operator/(Bytes a, BytesPerSecond b) { return Seconds(a.value() / b.value()); }
constexpr Seconds operator/(Flop a, FlopPerSecond b) { return Seconds(a.value() / b.value()); }
constexpr BytesPerSecond operator/(Bytes a, Seconds b) { return BytesPerSecond(a.value() / b.value()); }
constexpr FlopPerSecond operator/(Flop a, Seconds b) { return FlopPerSecond(a.value() / b.value()); }
constexpr Bytes operator*(BytesPerSecond a, Seconds b) { return Bytes(a.value() * b.value()); }
constexpr Flop operator*(FlopPerSecond a, Seconds b) { return Flop(a.value() * b.value()); }

constexpr Seconds microseconds(double us) { return Seconds(us * 1e-6); }
constexpr Seconds milliseconds(double ms) { return Seconds(ms * 1e-3); }
constexpr Bytes gigabytes(double gb) { return Bytes(gb * 1e9); }
constexpr Bytes gibibytes(double gib) { return Bytes(gib * 1073741824.0); }
constexpr BytesPerSecond gigabytes_per_second(double gb) { return BytesPerSecond(gb * 1e9); }
constexpr FlopPerSecond teraflops(double tflops) { return FlopPerSecond(tflops * 1e12); }
constexpr Hertz megahertz(double mhz) { return Hertz(mhz * 1e6); }

constexpr double to_microseconds(Seconds s) { return s.value() * 1e6; }
constexpr double to_milliseconds(Seconds s) { return s.value() * 1e3; }
constexpr double to_gigabytes(Bytes b) { return b.value() * 1e-9; }
constexpr double to_gibibytes(Bytes b) { return b.value() / 1073741824.0; }

}  // namespace warploom
