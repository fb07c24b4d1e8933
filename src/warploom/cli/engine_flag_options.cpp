#include "warploom/cli/engine_flag_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/error.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/manifests/lines/engine_flag_values.h"

namespace warploom {
namespace {

// What the config's engine calls the field.
std::string own_name(std::string_view engine, std::string_view field) {
  if (const EngineSpec* known = find_engine(engine); known != nullptr)
    for (const EngineFlag& flag : known->flags)
      if (flag.field == field) return option_name(flag.flag);
  return option_name(field);
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
      config[std::string(own->field)] = json_of(flag_value(*own, entry->text, option));
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
