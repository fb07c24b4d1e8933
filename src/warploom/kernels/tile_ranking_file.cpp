// The file of a ranking: constants by name, for each family.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/kernels/tile_ranking.h"
#include "warploom_embedded/tile_rankings.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom.tile_ranking";
constexpr int kVersion = 1;

const Json& member(const Json& holder, std::string_view name, std::string_view where) {
  if (!holder.is_object() || !holder.contains(name))
    throw InvalidInput(
        fmt::format("{}: no '{}', expected a ranking of tiles of version {}", where, name, kVersion));
  return holder[std::string(name)];
}

double number(const Json& holder, std::string_view name, std::string_view where) {
  const Json& value = member(holder, name, where);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw InvalidInput(fmt::format("{}: '{}' is no finite number", where, name));
  return value.get<double>();
}

double positive(const Json& holder, std::string_view name, std::string_view where) {
  const double value = number(holder, name, where);
  if (value <= 0)
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected a number above 0", where, name, value));
  return value;
}

}  // namespace

TileRanking TileRanking::from_json(const Json& document, std::string_view where) {
  if (member(document, "schema", where) != kSchema)
    throw InvalidInput(fmt::format("{}: the schema is not '{}'", where, kSchema));
  if (const double version = number(document, "version", where); version != kVersion)
    throw InvalidInput(fmt::format("{}: version {}, this program reads {}", where, version, kVersion));
  TileRanking ranking;
  if (document.contains("gpu")) {
    if (!document["gpu"].is_string()) throw InvalidInput(fmt::format("{}: 'gpu' is no text", where));
    ranking.gpu_ = document["gpu"].get<std::string>();
  }
  const Json& families = member(document, "families", where);
  for (const auto& [family, name] : EnumNames<TileFamily>::kNames) {
    const Json& entry = member(families, name, where);
    TileConstants& constants = ranking[family];
    constants.sharpness = positive(entry, "sharpness", where);
    const Json &cost = member(entry, "cost", where), &taste = member(entry, "taste", where);
    for (std::size_t i = 0; i < kTileCosts; ++i) constants.cost[i] = positive(cost, kTileCostNames[i], where);
    for (std::size_t i = 0; i < kTileTastes; ++i)
      constants.taste[i] = number(taste, kTileTasteNames[i], where);
  }
  return ranking;
}

Json TileRanking::to_json() const {
  Json document = {{"schema", kSchema}, {"version", kVersion}, {"families", Json::object()}};
  for (const auto& [family, name] : EnumNames<TileFamily>::kNames) {
    const TileConstants& constants = (*this)[family];
    Json& entry = document["families"][std::string(name)];
    entry["sharpness"] = constants.sharpness;
    for (std::size_t i = 0; i < kTileCosts; ++i)
      entry["cost"][std::string(kTileCostNames[i])] = constants.cost[i];
    for (std::size_t i = 0; i < kTileTastes; ++i)
      entry["taste"][std::string(kTileTasteNames[i])] = constants.taste[i];
  }
  return document;
}

const TileRanking& TileRanking::cublas() {
  static const TileRanking ranking = [] {
    const EmbeddedFile& file = embedded::tile_rankings().front();
    return from_json(parse_json(file.contents, file.name), file.name);
  }();
  return ranking;
}

}  // namespace warploom
