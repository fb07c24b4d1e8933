// From the fields that were asked to a request of `app`.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/answers/flat_request.h"
#include "warploom/answers/session.h"

namespace warploom {

// Says in a request, and in the setups inside it, which files whoever asks may name.
template <class Request>
void hand_on(const FileScope& files, Request& request) {
  if constexpr (requires { request.files; }) request.files = files;
  if constexpr (requires { request.setup; }) hand_on(files, request.setup);
  if constexpr (requires { request.workload->setup; })
    if (request.workload) hand_on(files, *request.workload);
  if constexpr (requires { request.disaggregation->prefill; })
    if (request.disaggregation) {
      hand_on(files, request.disaggregation->prefill);
      hand_on(files, request.disaggregation->decode);
    }
}

template <Described Request>
Request read_request(const Session& session, const Json& asked) {
  const FieldTable& table = fields_of<Request>();
  auto request = object_from_json<Request>(nested_request(asked, table, table.type_name), table.type_name);
  hand_on(session.files(), request);
  return request;
}

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
