// Keys of what was asked that are no fields of a request of `app`.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/answers/flat_request.h"
#include "warploom/answers/session.h"
#include "warploom/answers/use_case_answer.h"

namespace warploom {

// Takes a key that is no field of the request out of what was asked; null where it is absent.
inline Json take_key(Json& asked, const std::string& key) {
  const auto at = asked.is_object() ? asked.find(key) : asked.end();
  if (!asked.is_object() || at == asked.end()) return {};
  Json value = *at;
  asked.erase(at);
  return value;
}

// JSON has no number for "all at once": "request_rate": "inf" says it, as the answers do. Takes it out of
// what was asked; whether it stood there.
inline bool take_infinite_rate(Json& asked) {
  constexpr const char* kRate = "request_rate";
  if (!asked.is_object()) return false;
  for (Json* at : {&asked, asked.contains("source") ? &asked["source"] : nullptr}) {
    if (at == nullptr || !at->is_object() || at->value(kRate, Json()) != Json("inf")) continue;
    at->erase(kRate);
    return true;
  }
  return false;
}

// Reads requests with a workload, `read` all but what JSON has no number for.
template <class Read>
auto read_with_rate(const Json& asked, const Read& read) {
  Json finite = asked;
  const bool infinite = take_infinite_rate(finite);
  auto request = read(finite);
  if (infinite) request.source.request_rate = std::numeric_limits<double>::infinity();
  return request;
}

}  // namespace warploom
