// A look-up table of either method: ours (runtime_table.h) or the published one (wavetune/wavetune_table.h).
#pragma once

#include <filesystem>
#include <variant>

#include "warploom/judge/wavetune/wavetune_table.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {

using TileTable = std::variant<RuntimeTable, WaveTuneTable>;

// Tells the two apart by their first byte. Throws as their open() does.
TileTable open_tile_table(const std::filesystem::path& path);

// As the table's own functions of those names.
TilePick pick_of(const TileTable& table, const TileShape& shape) noexcept;
const TileKernel& kernel_of(const TileTable& table);
const TileGpu& gpu_of(const TileTable& table);
TileConfig default_config_of(const TileTable& table);
void require(const TileTable& table, std::string_view gpu, std::string_view kernel);

}  // namespace warploom
