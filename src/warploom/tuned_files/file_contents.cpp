#include "warploom/tuned_files/file_contents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "warploom/fused_moe/config_table.h"

namespace warploom {
namespace {

std::vector<std::int64_t> keys_of(const SureRow& row) {
  std::vector<std::int64_t> keys = row.above;
  keys.push_back(row.row.tokens);
  keys.insert(keys.end(), row.below.begin(), row.below.end());
  return keys;
}

Json adapter_config(const AdapterFile& adapters, const MoeConfig& config) {
  const TileConfig& tile = config.tile;
  Json found{{"block_m", tile.tile_m},
             {"block_n", tile.tile_n},
             {"block_k", tile.tile_k},
             {"num_warps", tile.warps},
             {"num_stages", tile.stages}};
  if (adapters.experts == 0) found["num_ctas"] = 1;
  if (adapters.shrinks || adapters.experts > 0) {
    found["split_k"] = tile.split_k;
    found["group_size_m"] = config.group_m;
  }
  return found;
}

Json product_config(const MoeConfig& config) {
  const MoeConfigRow row{.tokens = 1, .config = config, .engine_default = {}};
  Json found = engine_json({&row, 1})["1"];
  if (config.tile.tile_n > 0) return found;
  // The engine chooses columns and depth itself where a row has none (vLLM's experts of 4 bits).
  for (const char* name : {"BLOCK_SIZE_N", "BLOCK_SIZE_K", "num_warps", "num_stages"}) found.erase(name);
  found["SPLIT_K"] = 1;
  return found;
}

}  // namespace

Json config_contents(const TunedFile& file, const MoeConfig& config) {
  const TileConfig& tile = config.tile;
  switch (file.kernel) {
    case TunedKernel::StateUpdate:
      return {{"BLOCK_SIZE_M", tile.tile_m}, {"num_warps", tile.warps}};
    case TunedKernel::ChunkedLora:
      return {{"BLOCK_N", tile.tile_n},
              {"BLOCK_K", tile.tile_k},
              {"num_warps", tile.warps},
              {"num_stages", tile.stages}};
    case TunedKernel::Lora:
      return adapter_config(*file.adapters, config);
    default: {
      Json found = product_config(config);
      // vLLM's kernel of widened weights takes the number of parts from the configuration.
      const bool widened =
          file.operands == ExpertOperands::WeightsInt8 || file.operands == ExpertOperands::WeightsInt4;
      if (widened) found["SPLIT_K"] = 1;
      return found;
    }
  }
}

Json file_contents(const TunedFile& file, std::span<const SureRow> rows) {
  Json whole = Json::object();
  for (const SureRow& row : rows) {
    Json* place = &whole;
    for (const std::int64_t key : keys_of(row)) place = &(*place)[std::to_string(key)];
    *place = config_contents(file, row.row.config);
  }
  return whole;
}

std::string key_text(const SureRow& row) { return fmt::format("{}", fmt::join(keys_of(row), "/")); }

}  // namespace warploom
