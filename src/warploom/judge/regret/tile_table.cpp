#include "warploom/judge/regret/tile_table.h"

#include <unistd.h>

#include "warploom/base/file.h"

namespace warploom {

TileTable open_tile_table(const std::filesystem::path& path) {
  char first = '\0';
  const int file = open_regular_file(path, "tune table");
  (void)!::read(file, &first, 1);
  ::close(file);
  if (first == '{') return WaveTuneTable::open(path);
  return RuntimeTable::open(path);  // says what is wrong with anything else
}

TilePick pick_of(const TileTable& table, const TileShape& shape) noexcept {
  if (const auto* ours = std::get_if<RuntimeTable>(&table)) return ours->pick(shape);
  return std::get_if<WaveTuneTable>(&table)->pick(shape);
}

const TileKernel& kernel_of(const TileTable& table) {
  if (const auto* ours = std::get_if<RuntimeTable>(&table)) return ours->kernel();
  return std::get<WaveTuneTable>(table).model().kernel;
}

const TileGpu& gpu_of(const TileTable& table) {
  if (const auto* ours = std::get_if<RuntimeTable>(&table)) return ours->gpu();
  return std::get<WaveTuneTable>(table).model().gpu;
}

TileConfig default_config_of(const TileTable& table) {
  if (const auto* ours = std::get_if<RuntimeTable>(&table)) return ours->default_config();
  return std::get<WaveTuneTable>(table).model().default_config;
}

void require(const TileTable& table, std::string_view gpu, std::string_view kernel) {
  std::visit([&](const auto& held) { held.require(gpu, kernel); }, table);
}

}  // namespace warploom
