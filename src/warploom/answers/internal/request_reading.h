// From the fields that were asked to a request of `app`.
#pragma once

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

}  // namespace warploom
