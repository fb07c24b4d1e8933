#include "warploom/tuned_files/state_rules.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom_embedded/state_rule_files.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_state_rules";

StateRules read_rules() {
  const EmbeddedFile& file = embedded::state_rule_files()[0];
  const std::string where = fmt::format("built-in {}", file.name);
  const Json document = parse_json(file.contents, where);
  if (text_member_or(document, "schema", "") != kSchema)
    throw InvalidInput(fmt::format("{}: expected schema {}", where, kSchema));
  const Json& errors = required_member(document, "errors", where);
  return {.launch_us = required_number(document, "launch_us", where),
          .memory_reached = required_number(document, "memory_reached", where),
          .operations = required_number(document, "operations", where),
          .warp_instructions = required_number(document, "warp_instructions", where),
          .sharpness = required_number(document, "sharpness", where),
          .errors = {.tile = required_number(errors, "tile", where),
                     .knob = required_number(errors, "knob", where)}};
}

}  // namespace

const StateRules& state_rules() {
  static const StateRules rules = read_rules();
  return rules;
}

}  // namespace warploom
