// How tokens reach experts on other GPUs, by one name for all engines.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"

namespace warploom {

// DeepEp: the kernels that fit the step, where an engine changes between them.
enum class MoeExchange { Collectives, DeepEp, DeepEpNormal, DeepEpLowLatency, MegaMoe };
template <>
struct EnumNames<MoeExchange> {
  static constexpr std::array<std::pair<MoeExchange, std::string_view>, 5> kNames{
      {{MoeExchange::Collectives, "collectives"},
       {MoeExchange::DeepEp, "deepep"},
       {MoeExchange::DeepEpNormal, "deepep_normal"},
       {MoeExchange::DeepEpLowLatency, "deepep_low_latency"},
       {MoeExchange::MegaMoe, "megamoe"}}};
};

}  // namespace warploom
