#include "warploom/tuner/record_rules.h"

#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/json_members.h"
#include "warploom_embedded/record_rule_files.h"

namespace warploom {
namespace {

TimeErrors errors_of(const Json& document, std::string_view kind, std::string_view where) {
  const Json& errors = required_member(required_member(document, "errors", where), kind, where);
  return {.tile = required_number(errors, "tile", where), .knob = required_number(errors, "knob", where)};
}

RecordRules read_rules(const Json& document, std::string_view where) {
  const Json& scales = required_member(document, "block_scales", where);
  return {.block_scales = {.load_us = required_number(scales, "load_us", where),
                           .tile_operations = required_number(scales, "tile_operations", where)},
          .plain = errors_of(document, "plain", where),
          .block_products = errors_of(document, "block_products", where)};
}

}  // namespace

const RecordRules& record_rules() {
  static const RecordRules rules =
      from_embedded(embedded::record_rule_files(), "warploom_record_rules", read_rules);
  return rules;
}

}  // namespace warploom
