// The predictor file: one family each, "<family>.wlp".
//
// Layout: 8 magic bytes, u32 major, u32 minor, text of provenance (JSON: schema, version, created_by, family,
// data_hash, seed, test_fraction, split_seed), the records of FamilyModel, XXH64 of everything before.
// Little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "warploom/predictor/model/family_model.h"

namespace warploom {

inline constexpr std::uint32_t kPredictorFileMajor = 2;
inline constexpr std::uint32_t kPredictorFileMinor = 1;
inline constexpr std::string_view kPredictorFileSuffix = ".wlp";

std::string model_to_bytes(const FamilyModel& model);
// Throws InvalidInput naming `where` on a file that is none of ours or damaged, Unsupported (naming both
// versions) when it was written by another major version or for other features.
FamilyModel model_from_bytes(std::string_view bytes, std::string_view where);

// Writes folder/<family>.wlp, whole or not at all. Throws IoError.
void write_model(const FamilyModel& model, const std::filesystem::path& folder);

}  // namespace warploom
