// Folders of predictor files that commands write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/whole_folder.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/tables/family_tables.h"

namespace warploom {

// Before hours of training: the folder, or the nearest one above it that exists, must take files. Throws
// InvalidInput or IoError naming the field `output`.
void check_output_folder(const std::filesystem::path& output);

// What a command writes into a predictor's folder.
struct PredictorFiles {
  std::string_view created_by;
  const std::vector<FamilyModel>& models;   // each <family>.wlp
  const std::vector<FamilyTables>& tables;  // each <family>.wlt
  std::vector<FolderFile> notes = {};       // beside them
  bool keeps_others = true;                 // families of the folder that are not among them
  // GPUs that they were trained without (predict/excluded_gpus.h). Families that stay keep theirs excluded.
  std::vector<std::string> excluded_gpus = {};
};

// Whole or not at all, with a manifest (base/whole_folder.h). Tables in the folder that belong to files that
// are replaced go. Returns the bytes of models and tables. Throws as write_whole_folder.
std::uintmax_t write_predictor_files(const PredictorFiles& written, const std::filesystem::path& folder);

}  // namespace warploom
