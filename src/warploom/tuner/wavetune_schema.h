// The schema of the published wave model's tables, by which readers of our own tables tell them.
#pragma once

#include <string_view>

namespace warploom {

inline constexpr std::string_view kWaveTuneSchema = "warploom_wavetune_table";

}  // namespace warploom
