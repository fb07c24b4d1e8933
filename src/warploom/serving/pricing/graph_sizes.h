// The step sizes that an engine captures as CUDA graphs where none are given.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace warploom {

// Sizes from `from` on, `step` apart; a step of 0 doubles them.
struct GraphStretch {
  std::int64_t from = 0, step = 0;
};

// Views into constants of the engine's table.
struct GraphSizes {
  static constexpr std::array<std::int64_t, 3> kFew{1, 2, 4};
  static constexpr std::array<GraphStretch, 2> kStretches{{{8, 8}, {256, 16}}};

  std::span<const std::int64_t> few = kFew;
  std::span<const GraphStretch> stretches = kStretches;  // each up to the one that follows
  std::int64_t largest = 512;                            // where none is configured
  bool at_most_sequences = true;  // and no more than twice the tokens of a full batch that decodes
};

}  // namespace warploom
