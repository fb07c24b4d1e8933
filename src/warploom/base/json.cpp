#include "warploom/base/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "warploom/base/file.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

bool is_note(std::string_view key) {
  return key.starts_with("_") || key == "schema" || key == "version" || key == "created_by" ||
         key == "source";
}

[[noreturn]] void throw_type(std::string_view where, const Field& field, std::string_view expected,
                             const Json& got) {
  throw InvalidInput(
      fmt::format("{}: '{}' is {}, expected {}", where, field.name, got.dump().substr(0, 60), expected));
}

std::int64_t integer_of(const Json& value, const Field& field, std::string_view where) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest) {
    throw_type(where, field, "a 64-bit signed integer", value);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    const double real = value.get<double>();
    if (real == std::floor(real) && std::abs(real) < 9e15) return static_cast<std::int64_t>(real);
  }
  throw_type(where, field, "an integer", value);
}

double real_of(const Json& value, const Field& field, std::string_view where) {
  if (!value.is_number()) throw_type(where, field, "a number", value);
  return value.get<double>();
}

std::string text_of(const Json& value, const Field& field, std::string_view where) {
  if (!value.is_string()) throw_type(where, field, "a text", value);
  return value.get<std::string>();
}

template <class Element, class Convert>
std::vector<Element> list_of(const Json& value, const Field& field, std::string_view where, Convert convert) {
  if (!value.is_array()) throw_type(where, field, "a list", value);
  std::vector<Element> list;
  for (const Json& entry : value) list.push_back(convert(entry, field, where));
  return list;
}

FieldValue value_of(const Json& value, const Field& field, std::string_view where) {
  switch (field.kind) {
    case FieldKind::Boolean:
      if (!value.is_boolean()) throw_type(where, field, "true or false", value);
      return value.get<bool>();
    case FieldKind::Integer:
      return integer_of(value, field, where);
    case FieldKind::Real:
      return real_of(value, field, where);
    case FieldKind::Text:
      return text_of(value, field, where);
    case FieldKind::IntegerList:
      return list_of<std::int64_t>(value, field, where, integer_of);
    case FieldKind::RealList:
      return list_of<double>(value, field, where, real_of);
    case FieldKind::TextList:
      return list_of<std::string>(value, field, where, text_of);
    case FieldKind::Object:
    case FieldKind::ObjectList:
      break;
  }
  WARPLOOM_ASSERT(false);
  return {};
}

void read_nested(const Json& value, const Field& field, void* object, std::string_view where) {
  const std::string nested_where = fmt::format("{}: '{}'", where, field.name);
  if (field.kind == FieldKind::Object) {
    field.resize(object, value.is_null() ? 0 : 1);
    if (!value.is_null()) read_fields(value, *field.nested, field.element(object, 0), nested_where);
    return;
  }
  if (!value.is_array()) throw_type(where, field, "a list of objects", value);
  field.resize(object, value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    read_fields(value[i], *field.nested, field.element(object, i), fmt::format("{}[{}]", nested_where, i));
  }
}

void check_known_keys(const Json& document, const FieldTable& table, std::string_view where) {
  for (const auto& [key, value] : document.items()) {
    const auto matches = [&wanted = key](const Field& field) { return field.name == wanted; };
    if (std::any_of(table.fields.begin(), table.fields.end(), matches) || is_note(key)) continue;
    std::vector<std::string> names;
    for (const Field& field : table.fields) names.push_back(field.name);
    throw InvalidInput(
        fmt::format("{}: unknown key '{}' in {}{}", where, key, table.type_name, did_you_mean(key, names)));
  }
}

}  // namespace

Json json_of(const FieldValue& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return nullptr;
        else
          return held;
      },
      value);
}

Json read_json_file(const std::filesystem::path& path) { return parse_json(read_file(path), path.string()); }

void write_json_file(const std::filesystem::path& path, const Json& document) {
  write_file_atomically(path, json_text(document));
}

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

// Names all required fields that an object lacks.
[[noreturn]] void throw_missing(const Json& document, const FieldTable& table, std::string_view where) {
  std::vector<std::string> missing;
  for (const Field& field : table.fields)
    if (field.options.required && !document.contains(field.name)) missing.push_back("'" + field.name + "'");
  const bool one = missing.size() == 1;
  throw InvalidInput(fmt::format("{}: {} {} missing, {} needs {}", where, fmt::join(missing, ", "),
                                 one ? "is" : "are", table.type_name, one ? "it" : "them"));
}

}  // namespace

void read_fields(const Json& document, const FieldTable& table, void* object, std::string_view where) {
  if (!document.is_object()) {
    throw InvalidInput(
        fmt::format("{}: is not a JSON object, expected the keys of {}", where, table.type_name));
  }
  check_known_keys(document, table, where);
  for (const Field& field : table.fields) {
    const auto entry = document.find(field.name);
    if (entry == document.end()) {
      if (field.options.required) throw_missing(document, table, where);
      continue;
    }
    if (field.nested != nullptr) {
      read_nested(*entry, field, object, where);
      continue;
    }
    FieldValue value;
    if (!(entry->is_null() && field.optional)) value = value_of(*entry, field, where);
    check_field_value(field, value, where);
    field.set(object, std::move(value));
  }
}

Json write_fields(const FieldTable& table, const void* object) {
  Json document = Json::object();
  for (const Field& field : table.fields) {
    if (field.nested == nullptr) {
      Json value = json_of(field.get(object));
      if (!(field.optional && value.is_null())) document[field.name] = std::move(value);
      continue;
    }
    Json list = Json::array();
    for (std::size_t i = 0; i < field.size(object); ++i) {
      // element() takes a mutable object for reading; writing JSON leaves it unchanged.
      list.push_back(write_fields(*field.nested, field.element(const_cast<void*>(object), i)));
    }
    if (field.kind == FieldKind::ObjectList)
      document[field.name] = std::move(list);
    else if (!list.empty())
      document[field.name] = std::move(list[0]);
  }
  return document;
}

}  // namespace warploom
