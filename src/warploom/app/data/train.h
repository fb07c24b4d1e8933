// Use case `train`: measurements -> predictor files.
#pragma once

#include <filesystem>

#include "warploom/app/data/import_data.h"
#include "warploom/base/fields.h"
#include "warploom/predictor/training/train_predictor.h"
#include "warploom/predictor/training/train_tables.h"

namespace warploom {

struct TrainRequest {
  MeasurementSource source;
  std::filesystem::path output;           // folder for <family>.wlp
  std::vector<std::string> exclude_gpus;  // names; their rows are not learned
  std::vector<std::string> few_shot;      // "GPU:N"
  std::string few_shot_per = "family";    // or kind
  bool tables = false;  // also keep the measured rows, as <family>.wlt, to interpolate between
  std::uint64_t seed = 1;
  int threads = 0;
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

struct TrainSummary {
  std::vector<FamilyTraining> families;
  std::vector<TablesTraining> tables;  // as families, when asked for
  std::size_t rows = 0;                // read
  std::uintmax_t bytes = 0;            // of the files written
  ImportReport report;
};

// Writes the files only after every family is trained, and removes tables in the folder that belong to
// the files it replaces. Throws InvalidInput on an empty source.
TrainSummary train(const TrainRequest& request);

}  // namespace warploom
