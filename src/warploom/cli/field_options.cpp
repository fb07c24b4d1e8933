#include "warploom/cli/field_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

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
  return text;
}

}  // namespace

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

std::shared_ptr<FieldOptionValues> add_field_options(CLI::App& command, const FieldTable& table,
                                                     const std::vector<std::string>& skipped,
                                                     const std::string& prefix) {
  auto values = std::make_shared<FieldOptionValues>();
  for (const Field& field : table.fields) {
    if (field.nested != nullptr || std::find(skipped.begin(), skipped.end(), field.name) != skipped.end())
      continue;
    auto& entry = *values->entries_.emplace_back(std::make_unique<FieldOptionValues::Entry>());
    entry.field = &field;
    entry.option = option_name(prefix + field.name);
    // The callbacks keep the values alive; the entry's address is stable.
    if (field.kind == FieldKind::Boolean) {
      command.add_flag_callback(
          entry.option,
          [values, &entry] {
            entry.text = "true";
            entry.given = true;
          },
          description_of(field));
      command.add_flag_callback(
          "--no-" + entry.option.substr(2),
          [values, &entry] {
            entry.text = "false";
            entry.given = true;
          },
          "turns " + entry.option + " off");
      continue;
    }
    command.add_option_function<std::string>(
        entry.option,
        [values, &entry](const std::string& text) {
          entry.text = text;
          entry.given = true;
        },
        description_of(field));
  }
  return values;
}

}  // namespace warploom
