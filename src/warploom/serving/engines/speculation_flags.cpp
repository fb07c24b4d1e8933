#include "warploom/serving/engines/speculation_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_or_text.h"
#include "warploom/base/utf8.h"

namespace warploom {
namespace {

Json object_of(std::string_view text, const std::string& where) {
  Json document = parse_json(text, where);
  if (!document.is_object()) throw InvalidInput(fmt::format("{}: expected a JSON object", where));
  return document;
}

std::string_view text_or_empty(const Json& value) {
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : std::string_view();
}

// Adds `more` to what was given before.
void join(ServingConfig& config, const Json& more, const std::string& where) {
  Json joined =
      config.speculative_config.empty() ? Json::object() : object_of(config.speculative_config, where);
  for (const auto& [key, value] : more.items()) {
    for (const std::string_view text : {std::string_view(key), text_or_empty(value)})
      if (utf8_bytes(text) < text.size()) throw InvalidInput(fmt::format("{}: is not UTF-8", where));
    if (joined.contains(key))
      throw InvalidInput(
          fmt::format("{}: '{}' is given twice, expected it in --speculative-config or in a flag of its own",
                      where, key));
    joined[key] = value;
  }
  config.speculative_config = joined.dump();
}

}  // namespace

void apply_spec_method(ServingConfig& config, std::string_view method, const std::string& where) {
  join(config, {{"method", method}}, where);
}

void apply_spec_model(ServingConfig& config, std::string_view model, const std::string& where) {
  join(config, {{"model", model}}, where);
}

void apply_spec_tokens(ServingConfig& config, std::string_view tokens, const std::string& where) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(tokens.data(), tokens.data() + tokens.size(), count);
  if (error != std::errc() || end != tokens.data() + tokens.size() || count < 1)
    throw InvalidInput(fmt::format("{}: '{}' is no number of tokens, expected 1 or more", where, tokens));
  join(config, {{"num_speculative_tokens", count}}, where);
}

void apply_speculative_entry(ServingConfig& config, std::string_view key, std::string_view value,
                             const std::string& where) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '-', '_');
  join(config, {{name, json_or_text(value, where)}}, where);
}

void apply_speculative_config(ServingConfig& config, std::string_view json, const std::string& where) {
  if (config.speculative_config.empty())
    config.speculative_config = json;
  else
    join(config, object_of(json, where), where);
}

}  // namespace warploom
