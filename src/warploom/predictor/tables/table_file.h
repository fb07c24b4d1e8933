// The file of measured tables, "<family>.wlt", beside the family's predictor file and of no use without it.
//
// A framed file (base/framed_file.h). Head: family, feature_version, model_hash. Records: corrections,
// intervals, residuals.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "warploom/predictor/tables/family_tables.h"

namespace warploom {

inline constexpr std::uint32_t kTableFileMajor = 1;
inline constexpr std::uint32_t kTableFileMinor = 0;
inline constexpr std::string_view kTableFileSuffix = ".wlt";

std::string tables_to_bytes(const FamilyTables& tables);
// Throws as open_framed_file does, InvalidInput too on the tables of another model (its bytes hash to
// `model_hash`), Unsupported on other features.
FamilyTables tables_from_bytes(std::string_view bytes, const FamilyModel& model, std::uint64_t model_hash,
                               std::string_view where);

// folder/<family>.wlt, written whole or not at all. Throws IoError.
std::filesystem::path table_path(Family family, const std::filesystem::path& folder);
void write_tables(const FamilyTables& tables, const std::filesystem::path& folder);

}  // namespace warploom
