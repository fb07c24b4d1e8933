#include "warploom/app/data/predictor_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "warploom/app/predict/excluded_gpus.h"
#include "warploom/base/error.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/tables/table_file.h"

namespace warploom {

void check_output_folder(const std::filesystem::path& output) {
  std::filesystem::path existing = std::filesystem::absolute(output).lexically_normal();
  while (!std::filesystem::exists(existing)) existing = existing.parent_path();
  if (!std::filesystem::is_directory(existing)) {
    throw InvalidInput(fmt::format("output: {} is no folder, expected one or a new name", existing.string()));
  }
  if (::access(existing.c_str(), W_OK) != 0) {
    throw IoError(fmt::format("output: {} cannot be written to", existing.string()));
  }
}

namespace {

// Whether a family of the folder stays beside those that are written.
bool one_stays(const PredictorFiles& written, const std::filesystem::path& folder) {
  if (!written.keeps_others || !std::filesystem::is_directory(folder)) return false;
  std::set<std::string> names;
  for (const FamilyModel& model : written.models)
    names.insert(fmt::format("{}{}", name_of(model.family), kPredictorFileSuffix));
  const auto stays = [&](const std::filesystem::directory_entry& entry) {
    const std::filesystem::path& path = entry.path();
    return path.extension() == kPredictorFileSuffix && !names.contains(path.filename().string());
  };
  return std::any_of(std::filesystem::directory_iterator(folder), {}, stays);
}

}  // namespace

std::uintmax_t write_predictor_files(const PredictorFiles& written, const std::filesystem::path& folder) {
  FolderWriting writing{.created_by = written.created_by,
                        .suffixes = {kPredictorFileSuffix, kTableFileSuffix},
                        .removed = {},
                        .keeps_others = written.keeps_others};
  std::vector<FolderFile> files = written.notes;
  std::vector<std::string> excluded = written.excluded_gpus;
  if (one_stays(written, folder))
    for (std::string& gpu : excluded_gpus_of(folder)) excluded.push_back(std::move(gpu));
  // An old note is replaced by one that names none: what stood in a folder's manifest stays there.
  if (!excluded.empty() || std::filesystem::exists(folder / kExcludedGpusName))
    files.push_back(excluded_gpus_note(std::move(excluded)));
  std::uintmax_t notes = 0;
  for (const FolderFile& note : files) notes += note.contents.size();
  for (const FamilyModel& model : written.models) {
    files.push_back(
        {fmt::format("{}{}", name_of(model.family), kPredictorFileSuffix), model_to_bytes(model)});
    writing.removed.push_back(table_path(model.family, {}).string());
  }
  for (const FamilyTables& tables : written.tables)
    files.push_back({table_path(tables.family, {}).string(), tables_to_bytes(tables)});
  return write_whole_folder(folder, writing, files) - notes;
}

}  // namespace warploom
