#include "warploom/cli/field_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/field_text.h"
#include "warploom/cli/flag_names.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

namespace warploom {
namespace {

std::string description_of(const Field& field) {
  std::string text(field.options.doc);
  if (!field.options.unit.empty()) text += fmt::format(" [{}]", field.options.unit);
  if (!field.choices.empty()) text += fmt::format(" ({})", fmt::join(field.choices, ", "));
  if (!field.options.owners.empty()) text += fmt::format(" ({})", fmt::join(field.options.owners, ", "));
  return text;
}

// Whether the values of an option are paths.
bool names_files(std::string_view option) {
  const std::string name = value_name(option);
  return name == "FILE" || name == "FOLDER" || name == "PATH";
}

// What a value of the field looks like.
std::string type_of(const Field& field, const std::string& option) {
  switch (field.kind) {
    case FieldKind::Integer:
      return "INTEGER";
    case FieldKind::Real:
      return "NUMBER";
    case FieldKind::IntegerList:
      return "INTEGER,...";
    case FieldKind::RealList:
      return "NUMBER,...";
    case FieldKind::TextList:
      return "NAME,...";
    default:
      return value_name(option);
  }
}

// Empty where nothing stands in the object.
std::string default_of(const Field& field, const void* defaults) {
  if (defaults == nullptr) return {};
  const FieldValue value = field.get(defaults);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:g}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

}  // namespace

class FieldOptionsAdder {
 public:
  FieldOptionsAdder(Command& command, const FieldOptionStyle& style) : command_(command), style_(style) {}

  // `inside`: the objects that hold the field; `defaults`: the innermost of them, or nothing.
  void add(const Field& field, const std::vector<const Field*>& inside = {}, const void* defaults = nullptr) {
    auto& entry = *values_->entries_.emplace_back(std::make_unique<FieldOptionValues::Entry>());
    entry.field = &field;
    entry.inside = inside;
    entry.request = style_.request;
    entry.option = name_of_option(field);
    if (field.kind == FieldKind::Boolean) return add_switch(entry, defaults);
    if (style_.request && is_list(field.kind)) return add_words(entry);
    // The callbacks keep the values alive; the entry's address is stable.
    Option* option = command_.add_option_function<std::string>(
        entry.option,
        [values = values_, &entry](const std::string& text) {
          entry.text = text;
          entry.given = true;
        },
        description_of(field));
    option->type_name(type_of(field, entry.option));
    option->default_str(default_of(field, defaults));
    finish(*option, field);
  }

  void add_all(const FieldTable& table, const void* defaults, const std::vector<const Field*>& inside = {}) {
    for (const Field& field : table.fields) {
      const auto& skipped = style_.skipped;
      if (std::find(skipped.begin(), skipped.end(), field.name) != skipped.end()) continue;
      if (field.nested == nullptr) {
        add(field, inside, defaults);
      } else if (style_.request && field.kind == FieldKind::Object) {
        std::vector<const Field*> deeper = inside;
        deeper.push_back(&field);
        const bool there = defaults != nullptr && field.size(defaults) > 0;
        // element() takes a mutable object for setting values; help leaves it unchanged.
        add_all(*field.nested, there ? field.element(const_cast<void*>(defaults), 0) : nullptr, deeper);
      }
    }
  }

  const std::shared_ptr<FieldOptionValues>& values() const { return values_; }

 private:
  static bool is_list(FieldKind kind) {
    return kind == FieldKind::IntegerList || kind == FieldKind::RealList || kind == FieldKind::TextList;
  }

  std::string name_of_option(const Field& field) const {
    for (const auto& [name, positional] : style_.positionals)
      if (name == field.name) return positional;
    return style_.request ? flag_of(field.name) : option_name(style_.prefix + field.name);
  }

  void finish(Option& option, const Field& field) const {
    option.group(group_of(field));
    const auto& elsewhere = style_.elsewhere;
    const bool here = std::find(elsewhere.begin(), elsewhere.end(), field.name) == elsewhere.end();
    if (style_.request && field.options.required && here) option.required();
  }

  // Several words, or the option several times.
  void add_words(FieldOptionValues::Entry& entry) {
    const Field& field = *entry.field;
    Option* option = command_.add_option_function<std::vector<std::string>>(
        entry.option,
        [values = values_, &entry](const std::vector<std::string>& words) {
          entry.words = words;
          entry.given = true;
        },
        description_of(field));
    option->type_name(field.kind == FieldKind::IntegerList ? "INTEGER"
                      : field.kind == FieldKind::RealList  ? "NUMBER"
                                                           : value_name(entry.option));
    finish(*option, field);
  }

  void add_switch(FieldOptionValues::Entry& entry, const void* defaults) {
    const Field& field = *entry.field;
    const FieldValue value = defaults == nullptr ? FieldValue{} : field.get(defaults);
    const auto* now = std::get_if<bool>(&value);
    const std::string off = "--no-" + entry.option.substr(2);
    const auto add = [&](const std::string& name, const char* text, const std::string& doc, bool shown) {
      command_
          .add_flag_callback(
              name,
              [values = values_, &entry, text] {
                entry.text = text;
                entry.given = true;
              },
              doc)
          ->group(shown ? group_of(field) : std::string());
    };
    add(entry.option, "true", description_of(field), now == nullptr || !*now);
    add(off, "false", "off: " + description_of(field), now == nullptr || *now);
  }

  // Empty where help shows nothing.
  std::string group_of(const Field& field) const {
    const std::vector<std::string>& shown = style_.shown;
    if (!shown.empty() && std::find(shown.begin(), shown.end(), field.name) == shown.end()) return {};
    const std::string named = style_.group_of ? style_.group_of(field.name) : style_.group;
    return named.empty() ? std::string(kGeneralGroup) : named;
  }

  Command& command_;
  const FieldOptionStyle& style_;
  std::shared_ptr<FieldOptionValues> values_ = std::make_shared<FieldOptionValues>();
};

namespace {

// As check_field_value, in the words of the command line: "--rows is 0, expected at least 1".
void check_request_value(const Field& field, const FieldValue& value, const std::string& option) {
  try {
    check_field_value(field, value, option);
  } catch (const InvalidInput& error) {
    const std::string said = error.what(), named = fmt::format("{}: '{}' is ", option, field.name);
    if (!said.starts_with(named)) throw;
    throw InvalidInput(fmt::format("{} is {}", option, said.substr(named.size())));
  }
}

// Names may also be separated by commas; a path may hold one.
FieldValue list_from_words(const Field& field, const std::vector<std::string>& words,
                           std::string_view where) {
  if (!names_files(where))
    return field_value_from_text(field, fmt::format("{}", fmt::join(words, ",")), where);
  return words;
}

}  // namespace

FieldValue FieldOptionValues::Entry::value() const {
  FieldValue said =
      words.empty() ? field_value_from_text(*field, text, option) : list_from_words(*field, words, option);
  if (request)
    check_request_value(*field, said, option);
  else
    check_field_value(*field, said, option);
  return said;
}

void FieldOptionValues::write(Json& fields) const {
  for (const auto& entry : entries_) {
    if (!entry->given) continue;
    Json* holder = &fields;
    for (const Field* outer : entry->inside) holder = &(*holder)[outer->name];
    (*holder)[entry->field->name] = json_of(entry->value());
  }
}

void FieldOptionValues::apply(void* object) const {
  for (const auto& entry : entries_) {
    if (!entry->given) continue;
    const Field& field = *entry->field;
    FieldValue value = entry->value();
    void* holder = object;
    for (const Field* outer : entry->inside) {
      outer->resize(holder, 1);
      holder = outer->element(holder, 0);
    }
    field.set(holder, std::move(value));
  }
}

bool FieldOptionValues::given(std::string_view field_name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return entry->field->name == field_name && entry->given; });
}

bool FieldOptionValues::any_given() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) { return entry->given; });
}

std::vector<std::pair<std::string, std::string>> FieldOptionValues::given_options() const {
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& entry : entries_) {
    const bool off = entry->field->kind == FieldKind::Boolean && entry->text == "false";
    if (entry->given)
      given.emplace_back(off ? "--no-" + entry->option.substr(2) : entry->option, entry->field->name);
  }
  return given;
}

std::shared_ptr<FieldOptionValues> add_field_options(Command& command, const FieldTable& table,
                                                     const FieldOptionStyle& style) {
  FieldOptionsAdder adder(command, style);
  adder.add_all(table, style.defaults);
  return adder.values();
}

}  // namespace warploom
