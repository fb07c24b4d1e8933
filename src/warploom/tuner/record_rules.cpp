#include "warploom/tuner/record_rules.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom_embedded/record_rule_files.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_record_rules";

TimeErrors errors_of(const Json& document, std::string_view kind, const std::string& where) {
  const Json& errors = required_member(required_member(document, "errors", where), kind, where);
  return {.tile = required_number(errors, "tile", where), .knob = required_number(errors, "knob", where)};
}

RecordRules read_rules() {
  const EmbeddedFile& file = embedded::record_rule_files()[0];
  const std::string where = fmt::format("built-in {}", file.name);
  const Json document = parse_json(file.contents, where);
  if (text_member_or(document, "schema", "") != kSchema)
    throw InvalidInput(fmt::format("{}: expected schema {}", where, kSchema));
  const Json& scales = required_member(document, "block_scales", where);
  return {.block_scales = {.load_us = required_number(scales, "load_us", where),
                           .tile_operations = required_number(scales, "tile_operations", where)},
          .plain = errors_of(document, "plain", where),
          .block_products = errors_of(document, "block_products", where)};
}

}  // namespace

const RecordRules& record_rules() {
  static const RecordRules rules = read_rules();
  return rules;
}

}  // namespace warploom
