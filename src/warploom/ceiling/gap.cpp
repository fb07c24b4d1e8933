#include "warploom/ceiling/gap.h"

#include <algorithm>

namespace warploom {

Gap gap_of(const Ceiling& ceiling, Seconds actual) {
  return {.ceiling_efficiency = ceiling.efficiency(),
          .efficiency = ceiling.efficiency_of(actual),
          .saved = Seconds(std::max(0.0, actual.value() - ceiling.time.value())),
          .above = actual.value() < ceiling.time.value()};
}

}  // namespace warploom
