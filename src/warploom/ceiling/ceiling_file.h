// The ceiling file: one family each, "<family>.wlq", a few tens of kB.
//
// A framed file (base/framed_file.h). Head: family, feature_version, data_hash, seed, test_fraction,
// split_seed, rows, gpus. Records: offset and trees of the location, those of the spread, quantiles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warploom/ceiling/family_ceiling.h"

namespace warploom {

inline constexpr std::uint32_t kCeilingFileMajor = 1;
inline constexpr std::uint32_t kCeilingFileMinor = 0;
inline constexpr std::string_view kCeilingFileSuffix = ".wlq";

std::string ceiling_to_bytes(const FamilyCeiling& ceiling);
// Throws as open_framed_file does, Unsupported too when it was learned from other features.
FamilyCeiling ceiling_from_bytes(std::string_view bytes, std::string_view where);

// "<family>.wlq".
std::string ceiling_file_name(Family family);

}  // namespace warploom
