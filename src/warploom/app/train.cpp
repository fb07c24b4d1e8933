#include "warploom/app/train.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "warploom/base/error.h"
#include "warploom/predictor/model_file.h"
#include "warploom/predictor/table_file.h"

namespace warploom {
namespace {

std::map<std::string, std::int64_t> few_shot_of(const std::vector<std::string>& texts,
                                                const GpuCatalog& catalog) {
  std::map<std::string, std::int64_t> shapes;
  for (const std::string& text : texts) {
    const std::size_t colon = text.rfind(':');
    std::int64_t count = 0;
    const char* end = text.data() + text.size();
    const bool valid = colon != std::string::npos && std::from_chars(text.data() + colon + 1, end, count) ==
                                                         std::from_chars_result{end, std::errc()};
    if (!valid || count < 1) {
      throw InvalidInput(fmt::format("--few-shot: '{}' is not GPU:N, for example b200_sxm:60", text));
    }
    shapes[catalog.get(text.substr(0, colon)).name] = count;
  }
  return shapes;
}

// Before hours of training: the folder, or the nearest one above it that exists, must take files.
void check_output_folder(const std::filesystem::path& output) {
  std::filesystem::path existing = std::filesystem::absolute(output).lexically_normal();
  while (!std::filesystem::exists(existing)) existing = existing.parent_path();
  if (!std::filesystem::is_directory(existing)) {
    throw InvalidInput(
        fmt::format("--output: {} is no folder, expected one or a new name", existing.string()));
  }
  if (::access(existing.c_str(), W_OK) != 0) {
    throw IoError(fmt::format("--output: {} cannot be written to", existing.string()));
  }
}

std::string tables_line(const TablesTraining& t) {
  return fmt::format(
      "{} with tables of {} rows, {:.0f} s: mean {:.2f} %, median {:.2f} %, p90 {:.1f} %, coverage {:.1f} % "
      "of {} "
      "held-out rows ({:.1f} % answered)",
      name_of(t.family), t.rows, t.seconds, 100 * t.held_out.mean, 100 * t.held_out.median,
      100 * t.held_out.p90, 100 * t.held_out.coverage, t.held_out.rows, 100 * t.answered);
}

// Returns the bytes written.
std::uintmax_t write_files(const std::vector<FamilyModel>& models, const std::vector<FamilyTables>& tables,
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

}  // namespace

TrainSummary train(const TrainRequest& request) {
  const GpuCatalog catalog;
  TrainingOptions options;
  for (const std::string& family : request.source.families) {
    options.families.push_back(parse_enum<Family>(family, "--family"));
  }
  for (const std::string& gpu : request.exclude_gpus) options.exclude_gpus.push_back(catalog.get(gpu).name);
  options.few_shot = few_shot_of(request.few_shot, catalog);
  options.seed = request.seed;
  options.threads = request.threads;
  options.progress = request.progress;

  check_output_folder(request.output);
  ImportResult imported = read_measurements(request.source, catalog);
  if (imported.dataset.empty())
    throw InvalidInput("train: the source holds no usable rows, so nothing can be learned");
  if (request.progress) request.progress(fmt::format("{} rows read", imported.dataset.size()));
  TrainSummary summary;
  summary.rows = imported.dataset.size();
  summary.report = std::move(imported.report);
  TrainingResult result = train_predictor(imported.dataset, catalog, options);
  if (result.models.empty()) {
    throw InvalidInput(fmt::format("train: {} rows are too few to learn any family", summary.rows));
  }
  summary.families = std::move(result.report);
  std::vector<FamilyTables> tables;
  if (request.tables)
    for (const FamilyModel& model : result.models) {
      TablesResult learned = train_tables(imported.dataset, catalog, options, model);
      if (request.progress) request.progress(tables_line(learned.report));
      summary.tables.push_back(learned.report);
      tables.push_back(std::move(learned.tables));
    }
  summary.bytes = write_files(result.models, tables, request.output);
  return summary;
}

}  // namespace warploom
