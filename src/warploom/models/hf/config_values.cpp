#include "warploom/models/hf/config_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace warploom {
namespace {

constexpr std::int64_t kLargest = 1'000'000'000'000;

}  // namespace

void ConfigValues::fail(std::string_view key, const Json& value, std::string_view expected) const {
  throw InvalidInput(
      fmt::format("{}: '{}' is {}, expected {}", where_, key, value.dump().substr(0, 60), expected));
}

const Json* ConfigValues::find(std::string_view key) const {
  const auto entry = document_->find(std::string(key));
  return entry == document_->end() || entry->is_null() ? nullptr : &*entry;
}

std::optional<ConfigValues> ConfigValues::nested(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) fail(key, *value, "an object");
  return ConfigValues(*value, fmt::format("{}: {}", where_, key));
}

std::optional<std::int64_t> ConfigValues::integer(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto in_range = [](double number) { return number >= 0 && number <= static_cast<double>(kLargest); };
  if (value->is_number_integer() && in_range(value->get<double>())) return value->get<std::int64_t>();
  if (value->is_number_float()) {
    const double number = value->get<double>();
    if (number == std::floor(number) && in_range(number)) return static_cast<std::int64_t>(number);
  }
  fail(key, *value, "an integer from 0 to 1e12");
}

std::int64_t ConfigValues::needed(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    const auto value = integer(key);
    if (!value) continue;
    if (*value == 0) fail(key, *find(key), "a positive integer");
    return *value;
  }
  throw InvalidInput(
      fmt::format("{}: '{}' is missing, this architecture needs it", where_, fmt::join(keys, "' or '")));
}

double ConfigValues::real(std::string_view key, double otherwise) const {
  const Json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) fail(key, *value, "a number");
  return value->get<double>();
}

bool ConfigValues::flag(std::string_view key, bool otherwise) const {
  const Json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) fail(key, *value, "true or false");
  return value->get<bool>();
}

std::string ConfigValues::text(std::string_view key, std::string_view otherwise) const {
  const Json* value = find(key);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string()) fail(key, *value, "a text");
  return value->get<std::string>();
}

std::vector<std::string> ConfigValues::texts(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array()) fail(key, *value, "a list of texts");
  std::vector<std::string> result;
  for (const Json& entry : *value) {
    if (!entry.is_string()) fail(key, entry, "a text");
    result.push_back(entry.get<std::string>());
  }
  return result;
}

std::vector<std::int64_t> ConfigValues::integers(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array()) fail(key, *value, "a list of integers");
  std::vector<std::int64_t> result;
  for (const Json& entry : *value) {
    if (!entry.is_number_integer()) fail(key, entry, "an integer");
    result.push_back(entry.get<std::int64_t>());
  }
  return result;
}

std::int64_t layer_count_of(const ConfigValues& text) {
  constexpr std::int64_t kMostLayers = 10'000;
  const std::int64_t count = text.needed({"num_hidden_layers", "n_layer", "num_layers"});
  if (count > kMostLayers) {
    throw InvalidInput(
        fmt::format("{}: 'num_hidden_layers' is {}, expected at most {}", text.where(), count, kMostLayers));
  }
  return count;
}

bool is_switched_on(const ConfigValues& config, std::string_view key) {
  const Json* value = config.find(key);
  if (value == nullptr) return false;
  if (value->is_number()) return *value != 0;
  return !value->is_boolean() || value->get<bool>();
}

}  // namespace warploom
