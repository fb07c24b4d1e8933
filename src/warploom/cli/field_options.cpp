#include "warploom/cli/field_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

namespace warploom {
namespace {

template <class Number>
Number number_from_text(std::string_view text, std::string_view where, std::string_view expected) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InvalidInput(fmt::format("{}: '{}' is not {}", where, text, expected));
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t position = text.find(separator);
    parts.push_back(text.substr(0, position));
    if (position == std::string_view::npos) return parts;
    text.remove_prefix(position + 1);
  }
}

bool flag_from_text(std::string_view text, std::string_view where) {
  if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "0" || text == "no" || text == "off") return false;
  throw InvalidInput(fmt::format("{}: '{}' is not a switch, expected true or false", where, text));
}

std::string description_of(const Field& field) {
  std::string text(field.options.doc);
  if (!field.options.unit.empty()) text += fmt::format(" [{}]", field.options.unit);
  if (!field.choices.empty()) text += fmt::format(" ({})", fmt::join(field.choices, ", "));
  if (!field.options.owners.empty()) text += fmt::format(" ({})", fmt::join(field.options.owners, ", "));
  return text;
}

// What a value of the field looks like.
std::string type_of(const Field& field) {
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
      return value_name(option_name(field.name));
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

  void add(const Field& field) {
    auto& entry = *values_->entries_.emplace_back(std::make_unique<FieldOptionValues::Entry>());
    entry.field = &field;
    entry.option = option_name(style_.prefix + field.name);
    if (field.kind == FieldKind::Boolean) return add_switch(entry);
    // The callbacks keep the values alive; the entry's address is stable.
    Option* option = command_.add_option_function<std::string>(
        entry.option,
        [values = values_, &entry](const std::string& text) {
          entry.text = text;
          entry.given = true;
        },
        description_of(field));
    option->type_name(type_of(field));
    option->default_str(default_of(field, style_.defaults));
    option->group(group_of(field));
  }

  const std::shared_ptr<FieldOptionValues>& values() const { return values_; }

 private:
  void add_switch(FieldOptionValues::Entry& entry) {
    const Field& field = *entry.field;
    const FieldValue value = style_.defaults == nullptr ? FieldValue{} : field.get(style_.defaults);
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

std::string option_name(std::string_view field_name) {
  std::string name = "--" + std::string(field_name);
  std::replace(name.begin() + 2, name.end(), '_', '-');
  return name;
}

FieldValue field_value_from_text(const Field& field, std::string_view text, std::string_view where) {
  switch (field.kind) {
    case FieldKind::Boolean:
      return flag_from_text(text, where);
    case FieldKind::Integer:
      return number_from_text<std::int64_t>(text, where, "an integer");
    case FieldKind::Real:
      return number_from_text<double>(text, where, "a number");
    case FieldKind::Text:
      return std::string(text);
    case FieldKind::IntegerList: {
      std::vector<std::int64_t> list;
      for (const auto part : split(text, ','))
        list.push_back(number_from_text<std::int64_t>(part, where, "an integer"));
      return list;
    }
    case FieldKind::RealList: {
      std::vector<double> list;
      for (const auto part : split(text, ','))
        list.push_back(number_from_text<double>(part, where, "a number"));
      return list;
    }
    case FieldKind::TextList: {
      std::vector<std::string> list;
      for (const auto part : split(text, ',')) list.emplace_back(part);
      return list;
    }
    case FieldKind::Object:
    case FieldKind::ObjectList:
      break;
  }
  WARPLOOM_ASSERT(false);
  return {};
}

void FieldOptionValues::apply(void* object) const {
  for (const auto& entry : entries_) {
    if (!entry->given) continue;
    FieldValue value = field_value_from_text(*entry->field, entry->text, entry->option);
    check_field_value(*entry->field, value, entry->option);
    entry->field->set(object, std::move(value));
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
  for (const Field& field : table.fields) {
    const bool skipped =
        std::find(style.skipped.begin(), style.skipped.end(), field.name) != style.skipped.end();
    if (field.nested == nullptr && !skipped) adder.add(field);
  }
  return adder.values();
}

}  // namespace warploom
