#include "warploom/manifests/lines/engine_flag_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/field_text.h"

namespace warploom {
namespace {

std::string value_text(const EngineFlag& flag, const std::string& text, const std::string& where) {
  if (flag.stands_alone()) return flag.negated ? "false" : std::string(flag.sets);
  if (!flag.count) return text;
  try {
    return std::stoll(text) > 1 ? "true" : "false";
  } catch (const std::exception&) {
    throw InvalidInput(fmt::format("{}: '{}' is no number of GPUs, expected 1 or more", where, text));
  }
}

const Field& field_behind(const EngineFlag& flag) {
  const Field* field = fields_of<ServingConfig>().find(flag.field);
  WARPLOOM_ASSERT(field != nullptr);
  return *field;
}

}  // namespace

const EngineFlag* find_flag(std::string_view engine, std::string_view flag) {
  const EngineSpec* known = find_engine(engine);
  if (known == nullptr) return nullptr;
  const auto found = std::find_if(known->flags.begin(), known->flags.end(),
                                  [&](const EngineFlag& each) { return each.flag == flag; });
  return found == known->flags.end() ? nullptr : &*found;
}

FieldValue flag_value(const EngineFlag& flag, const std::string& text, const std::string& where) {
  const Field& field = field_behind(flag);
  FieldValue value = field_value_from_text(field, value_text(flag, text, where), where);
  check_field_value(field, value, where);
  return value;
}

bool apply_engine_flag(ServingConfig& config, std::string_view name, const std::string& text,
                       const std::string& where) {
  const EngineFlag* flag = find_flag(config.engine, name);
  if (flag == nullptr) return false;
  field_behind(*flag).set(&config, flag_value(*flag, text, where));
  return true;
}

std::string engine_in(const Json& config) { return config.value("engine", ServingConfig().engine); }

}  // namespace warploom
