// Learns which configurations run near the best from published searches (PipeWeave's tables).
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "warploom/fused_moe/config_model.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {

// One measured configuration.
struct ConfigRow {
  enum class Kind { NearBest, EngineDefault } kind = Kind::NearBest;
  std::uint32_t gpu = 0;    // into ConfigRows::gpus
  std::uint32_t shape = 0;  // running number of (gpu, tokens, layer)
  std::uint64_t layer = 0;  // hash of experts, top-k, hidden, width
  GroupedProduct product;
  MoeConfig config;
  float slowdown = 0;  // ln(time / best)
};

struct ConfigRows {
  std::vector<const GpuSpec*> gpus;  // of the catalog
  std::vector<ConfigRow> rows;
  std::vector<MoeConfig> candidates;  // near the best of some shape, ascending
  ConfigSearches searches;            // one a shape, with the same GPUs
  std::vector<std::uint64_t> layers;  // of each search, as ConfigRow::layer
};

// `gains`: hardware, M, E, topk, H, N, best_us, median_config_us, sglang_default_us and sglang_* columns;
// `near_best`: hardware, M, E, topk, H, N, BLOCK_SIZE_*, GROUP_SIZE_M, num_warps, num_stages,
// avg_duration_us. Of a shape at most 15 rows near the best are learned from. Throws IoError, InvalidInput.
ConfigRows read_config_rows(const std::filesystem::path& gains, const std::filesystem::path& near_best,
                            const GpuCatalog& catalog, std::uint64_t seed = 1);

struct GainError {
  std::string gpu;
  std::size_t shapes = 0;
  double median_points = 0, mean_points = 0;  // |predicted - measured gain|, percentage points
  double constant_median_points = 0;          // the same of the median gain of the other GPUs' shapes
};

// How often the configuration with most votes of a shape's searches lay within 1 % of its best.
struct VoteHits {
  double new_layer = 0;  // searches of the shape's layer left out
  double new_gpu = 0;    // those of its GPU too
};

struct ConfigTraining {
  ConfigModelRecord record;
  VoteHits hits;
  GainError all;
  std::vector<GainError> gpus;
};

// For each GPU and each of 4 folds of layers, trees that saw neither predict the gain from the engine's
// default to the best configuration; their residuals make the record's. The kept trees learn from all rows.
ConfigTraining train_configs(const ConfigRows& rows, std::uint64_t seed = 1);

}  // namespace warploom
