// Use case `train`: measurements -> predictor files.
#pragma once

#include <filesystem>

#include "warploom/app/import_data.h"
#include "warploom/predictor/train_predictor.h"

namespace warploom {

struct TrainRequest {
  MeasurementSource source;
  std::filesystem::path output;           // folder for <family>.wlp
  std::vector<std::string> exclude_gpus;  // names; their rows are not learned
  std::vector<std::string> few_shot;      // "GPU:N"
  std::uint64_t seed = 1;
  int threads = 0;
  std::function<void(std::string_view)> progress;
};

struct TrainSummary {
  std::vector<FamilyTraining> families;
  std::size_t rows = 0;      // read
  std::uintmax_t bytes = 0;  // of the files written
  ImportReport report;
};

// Writes the files only after every family is trained. Throws InvalidInput on an empty source.
TrainSummary train(const TrainRequest& request);

}  // namespace warploom
