// One row of inputs of a learner, without heap allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warploom {

// Slots of a row: features, and one at the end that the trees keep for themselves.
inline constexpr int kMaxFeatures = 63;

// Values are added in order, at most kMaxFeatures; those of add_log2 are complete after take_logs.
struct FeatureRow {
  std::array<float, kMaxFeatures + 1> values;  // the first `count` are set
  int count = 0;

  void clear() { count = pending_count = 0; }
  void add(double value) { values[std::size_t(count++)] = static_cast<float>(value); }
  // log2, values below 1e-12 count as 1e-12. The slot is filled by take_logs.
  void add_log2(double value) {
    pending[std::size_t(pending_count)] = static_cast<float>(value > 1e-12 ? value : 1e-12);
    pending_slots[std::size_t(pending_count++)] = static_cast<std::uint8_t>(count++);
  }
  // Takes all logarithms at once: several times faster than one by one.
  void take_logs();

  alignas(64) std::array<float, kMaxFeatures + 1> pending;
  std::array<std::uint8_t, kMaxFeatures + 1> pending_slots;
  int pending_count = 0;
};

}  // namespace warploom
