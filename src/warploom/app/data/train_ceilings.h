// Use case `train-ceilings`: the ceilings of every family that the rows hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/data/import_data.h"
#include "warploom/base/fields.h"
#include "warploom/ceiling/ceiling_training.h"

namespace warploom {

struct TrainCeilingsRequest {
  MeasurementSource source;
  std::filesystem::path output;                                // folder
  std::vector<std::string> exclude_gpus;                       // as GpuCatalog::get takes them
  double test_fraction = 0.1;                                  // of shapes kept out
  std::size_t most_rows = CeilingTrainingOptions{}.most_rows;  // of a family
  std::uint64_t seed = 1;
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

struct TrainedCeiling {
  Family family = Family::Gemm;
  std::size_t rows = 0, gpus = 0, bytes = 0;
};
struct TrainCeilingsResult {
  std::vector<TrainedCeiling> families;
  std::vector<std::pair<std::string, std::size_t>> too_few;  // families left out and their rows
};

// Throws InvalidInput when no family has enough rows; what the readers throw.
TrainCeilingsResult train_ceilings(const TrainCeilingsRequest& request);

}  // namespace warploom
