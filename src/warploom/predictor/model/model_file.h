// The predictor file: one family each, "<family>.wlp".
//
// A framed file (base/framed_file.h). Head: family, feature_version, data_hash, seed, test_fraction,
// split_seed. Records: those of FamilyModel in the order of its members. Since 3.0 cells may share trees,
// since 4.0 their trees keep the leaves that a row can reach alone (LeafLayout::Reachable).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "warploom/predictor/model/family_model.h"

namespace warploom {

inline constexpr std::uint32_t kPredictorFileMajor = 4;
inline constexpr std::uint32_t kPredictorFileMinor = 0;
inline constexpr std::string_view kPredictorFileSuffix = ".wlp";

std::string model_to_bytes(const FamilyModel& model);
// Throws as open_framed_file does, Unsupported too when it was learned from other features.
FamilyModel model_from_bytes(std::string_view bytes, std::string_view where);

// Writes folder/<family>.wlp, whole or not at all. Throws IoError.
void write_model(const FamilyModel& model, const std::filesystem::path& folder);

}  // namespace warploom
