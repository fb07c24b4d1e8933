#include "warploom/base/json_members.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {

const Json& member_or_null(const Json& document, std::string_view key) {
  static const Json none;
  if (!document.is_object()) return none;
  const auto found = document.find(key);
  return found != document.end() ? *found : none;
}

std::string text_member_or(const Json& document, std::string_view key, std::string otherwise) {
  const Json& value = member_or_null(document, key);
  return value.is_string() ? value.get<std::string>() : std::move(otherwise);
}

std::int64_t document_version(const Json& document) {
  constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
  const Json& value = member_or_null(document, "version");
  if (value.is_null()) return document.is_object() && document.contains("version") ? kUnknown : 0;
  if (!value.is_number_integer()) return kUnknown;
  const bool beyond = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(kUnknown);
  return beyond ? kUnknown : value.get<std::int64_t>();
}

const Json& required_member(const Json& document, std::string_view key, std::string_view where) {
  if (document.is_object())
    if (const auto found = document.find(key); found != document.end()) return *found;
  throw InvalidInput(fmt::format("{}: '{}' is missing, expected an object with it", where, key));
}

std::string required_text(const Json& document, std::string_view key, std::string_view where) {
  const Json& value = required_member(document, key, where);
  if (!value.is_string())
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected a text", where, key, value.type_name()));
  return value.get<std::string>();
}

double required_number(const Json& document, std::string_view key, std::string_view where) {
  const Json& value = required_member(document, key, where);
  if (!value.is_number())
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected a number", where, key, value.type_name()));
  return value.get<double>();
}

}  // namespace warploom
