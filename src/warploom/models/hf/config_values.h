// Private to the module: typed access to the keys of a config.json. Integers are checked to be 0..1e12; a
// null counts as absent. Throws InvalidInput naming the key.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"

namespace warploom {

class ConfigValues {
 public:
  // `document` outlives this.
  ConfigValues(const Json& document, std::string_view where) : document_(&document), where_(where) {}

  const Json* find(std::string_view key) const;  // nullptr when absent or null
  bool has(std::string_view key) const { return find(key) != nullptr; }
  // An object under `key`; absent = nullopt.
  std::optional<ConfigValues> nested(std::string_view key) const;

  std::optional<std::int64_t> integer(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::int64_t otherwise) const {
    return integer(key).value_or(otherwise);
  }
  // The first present of some spellings, positive. Throws when none is.
  std::int64_t needed(std::initializer_list<std::string_view> keys) const;
  std::int64_t needed(std::string_view key) const { return needed({key}); }
  double real(std::string_view key, double otherwise) const;
  bool flag(std::string_view key, bool otherwise) const;
  std::string text(std::string_view key, std::string_view otherwise = "") const;
  std::vector<std::string> texts(std::string_view key) const;      // absent = empty
  std::vector<std::int64_t> integers(std::string_view key) const;  // absent = empty

  const std::string& where() const { return where_; }

 private:
  [[noreturn]] void fail(std::string_view key, const Json& value, std::string_view expected) const;

  const Json* document_;
  std::string where_;
};

// 'num_hidden_layers'. Throws InvalidInput when it is missing or more than any model has.
std::int64_t layer_count_of(const ConfigValues& text);
// Whether the mechanism under `key` is there: neither absent nor 0 nor false.
bool is_switched_on(const ConfigValues& config, std::string_view key);

}  // namespace warploom
