#include "warploom/manifests/lines/started_fields.h"

#include <nlohmann/json.hpp>

namespace warploom {

Json started_fields(const ServingConfig& config, SetupUse use) {
  static const Json usual = to_json(ServingConfig());
  Json fields = Json::object();
  const Json all = to_json(config);
  for (const auto& [name, value] : all.items()) {
    if (value.is_object() || (name != "engine" && usual.contains(name) && usual[name] == value)) continue;
    try {
      check_given_field(use, config, name, name);
      fields[name] = value;
    } catch (const FieldRefusal&) {
      continue;
    }
  }
  return fields;
}

}  // namespace warploom
