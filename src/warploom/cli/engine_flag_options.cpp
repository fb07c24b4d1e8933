#include "warploom/cli/engine_flag_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/error.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

namespace warploom {
namespace {

std::span<const EngineFlag> engine_flags(std::string_view engine) {
  const EngineSpec* known = find_engine(engine);
  return known == nullptr ? std::span<const EngineFlag>() : known->flags;
}

const EngineFlag* find_flag(std::string_view engine, std::string_view flag) {
  const auto flags = engine_flags(engine);
  const auto found =
      std::find_if(flags.begin(), flags.end(), [&](const EngineFlag& f) { return f.flag == flag; });
  return found == flags.end() ? nullptr : &*found;
}

// What the config's engine calls the field.
std::string own_name(std::string_view engine, std::string_view field) {
  for (const EngineFlag& flag : engine_flags(engine))
    if (flag.field == field) return option_name(flag.flag);
  return option_name(field);
}

std::string value_text(const EngineFlag& flag, const std::string& text, const std::string& where) {
  if (flag.stands_alone()) return flag.negated ? "false" : "true";
  if (!flag.count) return text;
  try {
    return std::stoll(text) > 1 ? "true" : "false";
  } catch (const std::exception&) {
    throw InvalidInput(fmt::format("{}: '{}' is no number of GPUs, expected 1 or more", where, text));
  }
}

// What help says that the flag takes.
std::string value_type(const EngineFlag& flag) {
  if (flag.count) return "INTEGER";
  const Field* field = fields_of<ServingConfig>().find(flag.field);
  WARPLOOM_ASSERT(field != nullptr);
  if (field->kind == FieldKind::IntegerList) return "INTEGER,...";
  return field->kind == FieldKind::Integer ? "INTEGER" : field->kind == FieldKind::Real ? "NUMBER" : "NAME";
}

}  // namespace

namespace {

const Field& field_behind(const EngineFlag& flag) {
  const Field* field = fields_of<ServingConfig>().find(flag.field);
  WARPLOOM_ASSERT(field != nullptr);
  return *field;
}

FieldValue checked_value(const EngineFlag& flag, const std::string& text, const std::string& where) {
  const Field& field = field_behind(flag);
  FieldValue value = field_value_from_text(field, value_text(flag, text, where), where);
  check_field_value(field, value, where);
  return value;
}

}  // namespace

bool apply_engine_flag(ServingConfig& config, std::string_view name, const std::string& text,
                       const std::string& where) {
  const EngineFlag* flag = find_flag(config.engine, name);
  if (flag == nullptr) return false;
  field_behind(*flag).set(&config, checked_value(*flag, text, where));
  return true;
}

std::string engine_in(const Json& config) { return config.value("engine", ServingConfig().engine); }

EngineFlagOptions::EngineFlagOptions(Command& command)
    : entries_(std::make_shared<std::vector<std::unique_ptr<Entry>>>()) {
  const OptionGroup group(command, kOwnNamesGroup);
  for (const EngineSpec* engine : all_engines()) {
    for (const EngineFlag& flag : engine->flags) {
      const bool known = std::any_of(entries_->begin(), entries_->end(),
                                     [&](const auto& entry) { return entry->flag == flag.flag; });
      if (known) continue;
      Entry& entry = *entries_->emplace_back(std::make_unique<Entry>());
      entry.flag = flag.flag;
      const std::string names = fmt::format("{},--{}", option_name(flag.flag), flag.flag);
      const std::string doc = fmt::format("{} ({})", flag.doc, engine->name);
      const auto keep = entries_;
      if (flag.stands_alone()) {
        command.add_flag_callback(
            names, [keep, &entry] { entry.given = true; }, doc);
      } else {
        command
            .add_option_function<std::string>(
                names,
                [keep, &entry](const std::string& text) {
                  entry.text = text;
                  entry.given = true;
                },
                doc)
            ->type_name(value_type(flag));
      }
    }
  }
}

void EngineFlagOptions::write(Json& config) const {
  const std::string chosen = engine_in(config);
  for (const auto& entry : *entries_) {
    if (!entry->given) continue;
    const std::string option = option_name(entry->flag);
    if (const EngineFlag* own = find_flag(chosen, entry->flag)) {
      config[std::string(own->field)] = json_of(checked_value(*own, entry->text, option));
      continue;
    }
    for (const EngineSpec* engine : all_engines()) {
      const EngineFlag* flag = find_flag(engine->name, entry->flag);
      if (flag == nullptr) continue;
      throw InvalidInput(fmt::format("{} is a flag of {}, expected {} with --engine {}", option, engine->name,
                                     own_name(chosen, flag->field), chosen));
    }
  }
}

std::vector<std::pair<std::string, std::string>> EngineFlagOptions::given_options(
    std::string_view engine) const {
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& entry : *entries_)
    if (const EngineFlag* flag = find_flag(engine, entry->flag); entry->given && flag != nullptr)
      given.emplace_back(option_name(entry->flag), flag->field);
  return given;
}

}  // namespace warploom
