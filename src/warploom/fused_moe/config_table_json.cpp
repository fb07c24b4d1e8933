#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/fused_moe/config_table.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_moe_config";
constexpr int kVersion = 1;

Json config_json(const MoeConfig& config) {
  return {{"BLOCK_SIZE_M", config.tile.tile_m}, {"BLOCK_SIZE_N", config.tile.tile_n},
          {"BLOCK_SIZE_K", config.tile.tile_k}, {"GROUP_SIZE_M", config.group_m},
          {"num_warps", config.tile.warps},     {"num_stages", config.tile.stages}};
}

MoeConfig config_of(const Json& document) {
  const auto at = [&](const char* key) {
    const auto value = document.at(key).get<double>();
    if (!(value >= 0 && value <= 65536))
      throw InvalidInput(fmt::format("'{}' is {}, expected 0 to 65536", key, value));
    return static_cast<std::int32_t>(value);
  };
  return {.tile = {.tile_m = at("BLOCK_SIZE_M"),
                   .tile_n = at("BLOCK_SIZE_N"),
                   .tile_k = at("BLOCK_SIZE_K"),
                   .warps = at("num_warps"),
                   .stages = at("num_stages")},
          .group_m = at("GROUP_SIZE_M")};
}

MoeConfigTable table_of(const Json& document, std::string_view where) {
  MoeConfigTable table;
  table.engine = parse_enum<MoeEngine>(document.at("engine").get<std::string>(), std::string(where));
  table.tier = parse_enum<Tier>(document.at("tier").get<std::string>(), std::string(where));
  table.gpu = document.at("gpu").get<std::string>();
  table.from = document.at("measured_on").get<std::vector<std::string>>();
  table.layer = object_from_json<MoeLayer>(document.at("layer"), where);
  for (const auto& [key, value] : document.at("rows").items()) {
    MoeConfigRow row{.tokens = std::stoll(key)};
    row.config = config_of(value.at("config"));
    row.engine_default = config_of(value.at("engine_default"));
    row.is_default = row.config == row.engine_default;
    row.speedup = value.at("speedup").at("p50").get<double>();
    row.speedup_p10 = value.at("speedup").at("p10").get<double>();
    row.speedup_p90 = value.at("speedup").at("p90").get<double>();
    if (!(row.speedup > 0 && row.speedup_p10 > 0 && row.speedup_p90 > 0))
      throw InvalidInput(fmt::format("{}: row {}: expected positive speed-ups", where, key));
    table.rows.push_back(row);
  }
  if (table.rows.empty()) throw InvalidInput(fmt::format("{}: no rows", where));
  return table;
}

}  // namespace

Json engine_json(const MoeConfigTable& table) {
  Json document = Json::object();
  for (const MoeConfigRow& row : table.rows) document[std::to_string(row.tokens)] = config_json(row.config);
  return document;
}

Json sidecar_json(const MoeConfigTable& table) {
  Json rows = Json::object();
  for (const MoeConfigRow& row : table.rows)
    rows[std::to_string(row.tokens)] = {
        {"config", config_json(row.config)},
        {"engine_default", config_json(row.engine_default)},
        {"speedup", {{"p10", row.speedup_p10}, {"p50", row.speedup}, {"p90", row.speedup_p90}}}};
  return {{"schema", kSchema},
          {"version", kVersion},
          {"created_by", "warploom moe-config"},
          {"engine", name_of(table.engine)},
          {"gpu", table.gpu},
          {"tier", name_of(table.tier)},
          {"measured_on", table.from},
          {"layer", to_json(table.layer)},
          {"rows", std::move(rows)}};
}

MoeConfigTable moe_config_from_json(const Json& document, std::string_view where) {
  try {
    if (!document.is_object() || document.value("schema", "") != kSchema)
      throw InvalidInput(
          fmt::format("{}: is no table of `moe-config`, expected its .warploom.json file", where));
    if (document.value("version", 0) > kVersion)
      throw Unsupported(fmt::format("{}: written by a newer program", where));
    return table_of(document, where);
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{}: {}", where, error.what()));
  } catch (const std::logic_error&) {
    throw InvalidInput(fmt::format("{}: a row's key is no token count", where));
  }
}

}  // namespace warploom
