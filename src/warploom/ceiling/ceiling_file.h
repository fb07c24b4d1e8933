// The ceiling file: one family each, "<family>.wlq", a few tens of kB.
//
// Layout: 8 magic bytes, u32 major, u32 minor, text of provenance (JSON: schema, version, created_by, family,
// data_hash, seed, test_fraction, split_seed, rows, gpus), trees, quantiles, XXH64 of everything before.
// Little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "warploom/ceiling/family_ceiling.h"

namespace warploom {

inline constexpr std::uint32_t kCeilingFileMajor = 1;
inline constexpr std::uint32_t kCeilingFileMinor = 0;
inline constexpr std::string_view kCeilingFileSuffix = ".wlq";

std::string ceiling_to_bytes(const FamilyCeiling& ceiling);
// Throws InvalidInput naming `where` on a file that is none of ours or damaged, Unsupported (naming both
// versions) when it was written by another major version or for other features.
FamilyCeiling ceiling_from_bytes(std::string_view bytes, std::string_view where);

// Writes folder/<family>.wlq, whole or not at all. Throws IoError.
void write_ceiling(const FamilyCeiling& ceiling, const std::filesystem::path& folder);

}  // namespace warploom
