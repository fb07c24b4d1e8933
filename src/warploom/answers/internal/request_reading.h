// From the fields that were asked to a request of `app`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "warploom/answers/flat_request.h"

namespace warploom {

template <Described Request>
Request read_request(const Json& asked) {
  const FieldTable& table = fields_of<Request>();
  return object_from_json<Request>(nested_request(asked, table, table.type_name), table.type_name);
}

// Takes a key that is no field of the request out of what was asked; null where it is absent.
inline Json take_key(Json& asked, const std::string& key) {
  const auto at = asked.is_object() ? asked.find(key) : asked.end();
  if (!asked.is_object() || at == asked.end()) return {};
  Json value = *at;
  asked.erase(at);
  return value;
}

}  // namespace warploom
