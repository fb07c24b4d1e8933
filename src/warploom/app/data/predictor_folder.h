// Folders of predictor files that commands write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/tables/family_tables.h"

namespace warploom {

// Before hours of training: the folder, or the nearest one above it that exists, must take files. Throws
// InvalidInput or IoError naming the field `output`.
void check_output_folder(const std::filesystem::path& output);

// <family>.wlp of each model and <family>.wlt of each of the tables; tables in the folder that belong to
// files that are replaced go. Returns the bytes written. Throws IoError.
std::uintmax_t write_predictor_files(const std::vector<FamilyModel>& models,
                                     const std::vector<FamilyTables>& tables,
                                     const std::filesystem::path& folder);

}  // namespace warploom
