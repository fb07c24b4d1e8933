// What tuning really reached, from published tables, matched with measured rows of the untuned kernel.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"

namespace warploom {

// The best time that a search over configurations found for one operator on one GPU.
struct TunedTime {
  Operator op;
  std::string gpu;  // canonical name
  Seconds best;
};

// Reads tables of the pipeweave layout (hardware, M, E, topk, H, N and best_us or best_duration_us; gzip
// allowed): the first pass of a fused mixture of experts. Throws IoError, InvalidInput naming file and
// column. Rows of unknown GPUs are left out.
std::vector<TunedTime> read_tuned_times(const std::filesystem::path& path, const GpuCatalog& catalog);

// measured / best of the rows of `dataset` with the same operator and GPU.
struct TunedRow {
  std::uint32_t row = 0;  // of the data set
  double speedup = 1;
};
std::vector<TunedRow> match_tuned_times(const std::vector<TunedTime>& tuned, const Dataset& dataset);

}  // namespace warploom
