// What a runtime table is built with beside its wave model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/tuner/tile_config.h"

namespace warploom {

class TimeCorrection;

// Where a table's times come from: measured on its GPU, or estimated from records (and perhaps another GPU).
enum class TableTier { Measured, CrossGpu };
template <>
struct EnumNames<TableTier> {
  static constexpr std::array<std::pair<TableTier, std::string_view>, 2> kNames{
      {{TableTier::Measured, "measured"}, {TableTier::CrossGpu, "cross_gpu"}}};
};

// The tier of a prediction that such a table makes.
constexpr Tier tier_of(TableTier tier) {
  return tier == TableTier::Measured ? Tier::Measured : Tier::CrossGpu;
}

struct TableOptions {
  // The kernel's own choice; kept where no other is predicted to be clearly faster. Must be among the fitted
  // configurations when given; otherwise the one with the least mean predicted loss over all cells serves.
  std::optional<TileConfig> default_config;
  std::uint64_t data_hash = 0;                 // of the samples, for provenance
  const TimeCorrection* correction = nullptr;  // what the formula misses; must outlive the call
  TableTier tier = TableTier::Measured;
};

}  // namespace warploom
