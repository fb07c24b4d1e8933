#include "warploom/base/field_text.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/wrong_number.h"

namespace warploom {
namespace {

std::string wrong_number_text(std::string_view text, std::int64_t) { return wrong_integer_text(text); }
std::string wrong_number_text(std::string_view text, double) {
  return fmt::format("'{}' is not a number, expected one like 0.9 or 2e3", text);
}

template <class Number>
Number number_from_text(std::string_view text, std::string_view where) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidInput(fmt::format("{}: {}", where, wrong_number_text(text, value)));
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

}  // namespace

FieldValue field_value_from_text(const Field& field, std::string_view text, std::string_view where) {
  switch (field.kind) {
    case FieldKind::Boolean:
      return flag_from_text(text, where);
    case FieldKind::Integer:
      return number_from_text<std::int64_t>(text, where);
    case FieldKind::Real:
      return number_from_text<double>(text, where);
    case FieldKind::Text:
      return std::string(text);
    case FieldKind::IntegerList: {
      std::vector<std::int64_t> list;
      for (const auto part : split(text, ',')) list.push_back(number_from_text<std::int64_t>(part, where));
      return list;
    }
    case FieldKind::RealList: {
      std::vector<double> list;
      for (const auto part : split(text, ',')) list.push_back(number_from_text<double>(part, where));
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

}  // namespace warploom
