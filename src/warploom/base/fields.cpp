#include "warploom/base/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

std::string range_text(const FieldOptions& options) {
  const std::string unit = options.unit.empty() ? "" : fmt::format(" {}", options.unit);
  const bool bounded_below = std::isfinite(options.min);
  const bool bounded_above = std::isfinite(options.max);
  if (bounded_below && bounded_above) return fmt::format("{} to {}{}", options.min, options.max, unit);
  if (bounded_below) return fmt::format("at least {}{}", options.min, unit);
  if (bounded_above) return fmt::format("at most {}{}", options.max, unit);
  return fmt::format("a finite number{}", unit);
}

// The end of a member's range that was passed; the other one says nothing where it is as wide as 64 bits.
std::string held_text(const Field& field, double number) {
  constexpr double kReadable = 1e15;
  if (field.held_max < kReadable) return fmt::format("{} to {}", field.held_min, field.held_max);
  return number < field.held_min ? fmt::format("at least {:.0f}", field.held_min)
                                 : fmt::format("at most {:.0f}", field.held_max);
}

void check_number(const Field& field, double number, std::string_view where) {
  const bool allowed = std::isfinite(number) && number >= field.options.min && number <= field.options.max;
  if (allowed && (number < field.held_min || number > field.held_max)) {
    throw InvalidInput(
        fmt::format("{}: '{}' is {}, expected {}", where, field.name, number, held_text(field, number)));
  }
  if (allowed) return;
  throw InvalidInput(
      fmt::format("{}: '{}' is {}, expected {}", where, field.name, number, range_text(field.options)));
}

void check_choice(const Field& field, const std::string& text, std::string_view where) {
  if (field.choices.empty()) return;
  if (std::find(field.choices.begin(), field.choices.end(), text) == field.choices.end())
    throw_unknown_choice(fmt::format("{}: '{}'", where, field.name), text, field.choices);
}

}  // namespace

const Field* FieldTable::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& candidate) { return candidate.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

void throw_unknown_choice(std::string_view where, std::string_view name,
                          const std::vector<std::string>& choices) {
  throw InvalidInput(fmt::format("{}: '{}' is unknown{}; expected one of: {}", where, name,
                                 did_you_mean(name, choices), fmt::join(choices, ", ")));
}

void check_field_value(const Field& field, const FieldValue& value, std::string_view where) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    check_number(field, static_cast<double>(*integer), where);
  if (const auto* real = std::get_if<double>(&value)) check_number(field, *real, where);
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    for (const std::int64_t entry : *list) check_number(field, static_cast<double>(entry), where);
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    for (const double entry : *list) check_number(field, entry, where);
  }
  if (const auto* text = std::get_if<std::string>(&value)) check_choice(field, *text, where);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& entry : *list) check_choice(field, entry, where);
}

void check_fields(const FieldTable& table, const void* object, std::string_view where) {
  for (const Field& field : table.fields) {
    if (field.nested == nullptr) {
      check_field_value(field, field.get(object), where);
      continue;
    }
    for (std::size_t i = 0; i < field.size(object); ++i) {
      // element() takes a mutable object for reading JSON; checking leaves it unchanged.
      check_fields(*field.nested, field.element(const_cast<void*>(object), i),
                   fmt::format("{}: '{}'", where, field.name));
    }
  }
}

}  // namespace warploom
