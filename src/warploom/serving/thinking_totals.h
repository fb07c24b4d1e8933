// What requests thought and when their answers began.
#pragma once

#include <optional>
#include <span>

#include "warploom/serving/simulation_result.h"

namespace warploom {

// Absent where no request thinks.
std::optional<ThinkingTotals> thinking_of(std::span<const RequestRecord> records);

}  // namespace warploom
