#include "warploom/app/runs/client_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {
namespace {

constexpr double kLatestSeconds = 1e10;  // the year 2286 as a Unix time

[[noreturn]] void refuse_client_value(std::string_view key, const Json& value, std::string_view expected,
                                      const std::string& where) {
  const std::string text = value.is_structured() ? std::string(value.type_name()) : value.dump();
  throw InvalidInput(fmt::format("{}: '{}' is {}, expected {}", where, key, text, expected));
}

}  // namespace

const Json* client_member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(key));
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json* client_member(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* at = &object;
  for (const std::string_view key : path) {
    at = client_member(*at, key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

const Json& client_list(const Json& object, std::string_view key, const std::string& where) {
  const Json* list = client_member(object, key);
  if (list == nullptr) throw InvalidInput(fmt::format("{}: '{}' is missing, expected a list", where, key));
  if (!list->is_array()) refuse_client_value(key, *list, "a list", where);
  return *list;
}

double client_number(const Json& value, std::string_view key, const std::string& where) {
  if (!value.is_number()) refuse_client_value(key, value, "a number", where);
  return value.get<double>();
}

double client_time(const Json& value, std::string_view key, const std::string& where, double unit) {
  const double seconds = client_number(value, key, where) * unit;
  if (!(seconds >= 0 && seconds <= kLatestSeconds))
    refuse_client_value(key, value, "a time of at least 0 and at most 1e10 s", where);
  return seconds;
}

std::int64_t client_count(const Json& value, std::string_view key, const std::string& where) {
  constexpr double kMost = 9e18;  // within 64 bits
  const double number = client_number(value, key, where);
  if (!(number >= 0 && number <= kMost)) refuse_client_value(key, value, "a whole number from 0", where);
  const std::int64_t count = value.is_number_float() ? std::int64_t(number) : value.get<std::int64_t>();
  if (value.is_number_float() && double(count) != number)
    refuse_client_value(key, value, "a whole number from 0", where);
  return count;
}

std::int32_t client_tokens(const Json& value, std::string_view key, const std::string& where) {
  const std::int64_t tokens = client_count(value, key, where);
  if (tokens > kMaxRequestTokens)
    refuse_client_value(key, value, fmt::format("at most {} tokens", kMaxRequestTokens), where);
  return std::int32_t(tokens);
}

std::optional<std::int64_t> client_count_if(const Json& object, std::string_view key,
                                            const std::string& where) {
  const Json* value = client_member(object, key);
  if (value == nullptr) return std::nullopt;
  return client_count(*value, key, where);
}

}  // namespace warploom
