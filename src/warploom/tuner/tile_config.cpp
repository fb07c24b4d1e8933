#include "warploom/tuner/tile_config.h"

#include <fmt/format.h>

#include <charconv>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// Takes `mark` (may be empty) and a positive number off the front of `text`.
bool take_number(std::string_view& text, std::string_view mark, std::int32_t& value) {
  if (text.substr(0, mark.size()) != mark) return false;
  const char* begin = text.data() + mark.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || end == begin || value <= 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string config_text(const TileConfig& config) {
  std::string text = fmt::format("{}x{}x{}/w{}/s{}", config.tile_m, config.tile_n, config.tile_k,
                                 config.warps, config.stages);
  if (config.split_k != 1) text += fmt::format("/k{}", config.split_k);
  return text;
}

TileConfig parse_config(std::string_view text, std::string_view where) {
  TileConfig config;
  std::string_view rest = text;
  bool good = take_number(rest, "", config.tile_m) && take_number(rest, "x", config.tile_n) &&
              take_number(rest, "x", config.tile_k) && take_number(rest, "/w", config.warps) &&
              take_number(rest, "/s", config.stages);
  if (good && !rest.empty()) good = take_number(rest, "/k", config.split_k) && rest.empty();
  if (!good)
    throw InvalidInput(
        fmt::format("{}: '{}' is no tile configuration, expected for example 128x128x64/w8/s3", where, text));
  return config;
}

bool same_macro(const TileConfig& a, const TileConfig& b) {
  return a.tile_m == b.tile_m && a.tile_n == b.tile_n && a.tile_k == b.tile_k && a.split_k == b.split_k;
}

bool same_but_stages(const TileConfig& a, const TileConfig& b) {
  return a.tile_m == b.tile_m && a.tile_n == b.tile_n && a.tile_k == b.tile_k && a.warps == b.warps &&
         a.split_k == b.split_k;
}

}  // namespace warploom
