// One measured latency of one operator on one GPU, and the words that describe where it comes from.
#pragma once

#include <cstdint>
#include <string>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Formats of measured data that can be read (importers/import.h).
enum class Layout { Warploom, Aiconfigurator, Pipeweave, Vidur, Neusight, Kineto, Nsight };
template <>
struct EnumNames<Layout> {
  static constexpr std::array<std::pair<Layout, std::string_view>, 7> kNames{
      {{Layout::Warploom, "warploom"},
       {Layout::Aiconfigurator, "aiconfigurator"},
       {Layout::Pipeweave, "pipeweave"},
       {Layout::Vidur, "vidur"},
       {Layout::Neusight, "neusight"},
       {Layout::Kineto, "kineto"},
       {Layout::Nsight, "nsight"}}};
};

// What a reader of a row must know beside its numbers. A row may carry several.
struct Marks {
  bool launch_bound =
      false;                 // timed eagerly: the host's launch cost is inside, small cases show nothing else
  bool biased = false;       // the shape was chosen because a model failed on it: for stress checks only
  bool derived = false;      // combined from two timings
  bool source_test = false;  // the publisher's own test split
  bool operator==(const Marks&) const = default;
  // Bits 0 to 3 in the order above, as stored.
  std::uint8_t bits() const {
    return static_cast<std::uint8_t>(int(launch_bound) | int(biased) << 1 | int(derived) << 2 |
                                     int(source_test) << 3);
  }
  static Marks from_bits(std::uint8_t bits) {
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
  }
};

// A row by value, for building data sets and for tests; Dataset keeps rows in a compact form.
struct Measurement {
  Operator op;
  std::string gpu;        // canonical id of a GpuSpec
  std::string framework;  // the three as in KernelContext; empty = not stated
  std::string version;
  std::string kernel;
  Seconds latency;
  std::int64_t n_samples = 1;  // timings behind the latency; the latency is then their median
  Layout layout = Layout::Warploom;
  Marks marks;
};

}  // namespace warploom
