#include "warploom/tuned_files/state_rules.h"

#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/json_members.h"
#include "warploom_embedded/state_rule_files.h"

namespace warploom {
namespace {

StateRules read_rules(const Json& document, std::string_view where) {
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
  static const StateRules rules =
      from_embedded(embedded::state_rule_files(), "warploom_state_rules", read_rules);
  return rules;
}

}  // namespace warploom
