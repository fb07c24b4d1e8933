#include "warploom/app/data/predictor_folder.h"

#include <fmt/format.h>
#include <unistd.h>

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

std::uintmax_t write_predictor_files(const std::vector<FamilyModel>& models,
                                     const std::vector<FamilyTables>& tables,
                                     const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  for (const FamilyModel& model : models) {
    std::error_code nothing_to_remove;
    std::filesystem::remove(table_path(model.family, folder), nothing_to_remove);
    write_model(model, folder);
    bytes += std::filesystem::file_size(
        folder / (std::string(name_of(model.family)) + std::string(kPredictorFileSuffix)));
  }
  for (const FamilyTables& of_family : tables) {
    write_tables(of_family, folder);
    bytes += std::filesystem::file_size(table_path(of_family.family, folder));
  }
  return bytes;
}

}  // namespace warploom
