#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/base/sealed_json.h"
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

MoeConfig config_of(const Json& document, std::string_view where) {
  const auto at = [&](const char* key) {
    const double value = required_number(document, key, where);
    if (!(value >= 0 && value <= 65536))
      throw InvalidInput(fmt::format("{}: '{}' is {}, expected 0 to 65536", where, key, value));
    return static_cast<std::int32_t>(value);
  };
  return {.tile = {.tile_m = at("BLOCK_SIZE_M"),
                   .tile_n = at("BLOCK_SIZE_N"),
                   .tile_k = at("BLOCK_SIZE_K"),
                   .warps = at("num_warps"),
                   .stages = at("num_stages")},
          .group_m = at("GROUP_SIZE_M")};
}

std::int64_t tokens_of(std::string_view key, std::string_view where) {
  std::int64_t tokens = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), tokens);
  if (error != std::errc() || key.empty() || end != key.data() + key.size())
    throw InvalidInput(fmt::format("{}: '{}' in 'rows' is no token count", where, key));
  return tokens;
}

MoeConfigRow row_of(std::string_view key, const Json& value, std::string_view table) {
  const std::string where = fmt::format("{}: row {}", table, key);
  MoeConfigRow row{.tokens = tokens_of(key, table)};
  row.config = config_of(required_member(value, "config", where), where + ": config");
  row.engine_default = config_of(required_member(value, "engine_default", where), where + ": engine_default");
  row.is_default = row.config == row.engine_default;
  const Json& speedup = required_member(value, "speedup", where);
  row.speedup = required_number(speedup, "p50", where + ": speedup");
  row.speedup_p10 = required_number(speedup, "p10", where + ": speedup");
  row.speedup_p90 = required_number(speedup, "p90", where + ": speedup");
  if (!(row.speedup > 0 && row.speedup_p10 > 0 && row.speedup_p90 > 0))
    throw InvalidInput(fmt::format("{}: expected positive speed-ups", where));
  return row;
}

MoeConfigTable table_of(const Json& document, std::string_view where) {
  MoeConfigTable table;
  table.engine = parse_enum<MoeEngine>(required_text(document, "engine", where), std::string(where));
  table.tier = parse_enum<Tier>(required_text(document, "tier", where), std::string(where));
  table.gpu = required_text(document, "gpu", where);
  const Json& from = required_member(document, "measured_on", where);
  const auto is_text = [](const Json& one) { return one.is_string(); };
  if (!from.is_array() || !std::all_of(from.begin(), from.end(), is_text))
    throw InvalidInput(fmt::format("{}: 'measured_on' is no list of texts", where));
  table.from = from.get<std::vector<std::string>>();
  table.layer = object_from_json<MoeLayer>(required_member(document, "layer", where), where);
  const Json& rows = required_member(document, "rows", where);
  if (!rows.is_object()) throw InvalidInput(fmt::format("{}: 'rows' is no object", where));
  for (const auto& [key, value] : rows.items()) table.rows.push_back(row_of(key, value, where));
  if (table.rows.empty()) throw InvalidInput(fmt::format("{}: no rows", where));
  return table;
}

}  // namespace

Json engine_json(std::span<const MoeConfigRow> rows) {
  Json document = Json::object();
  for (const MoeConfigRow& row : rows) document[std::to_string(row.tokens)] = config_json(row.config);
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
  if (text_member_or(document, "schema", "") != kSchema)
    throw InvalidInput(
        fmt::format("{}: is no table of `moe-config`, expected its .warploom.json file", where));
  if (document_version(document) > kVersion)
    throw Unsupported(fmt::format("{}: of version {}, this program knows up to {}", where,
                                  member_or_null(document, "version").dump(), kVersion));
  check_seal(document, where);
  return table_of(document, where);
}

}  // namespace warploom
