// Requests with a model on a GPU under an engine: fields that would change nothing are refused, as the
// command line refuses them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/answers/internal/request_reading.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/manifests/manifest_request.h"

namespace warploom {

// Looks through `document` for setups (objects with a `config` or a `host`) and checks each of their fields
// that differs from its default: one at its default says nothing. Throws what check_given_field and, in the
// decode pool of two, check_decode_scope throw.
void check_given_setups(const Json& document, SetupUse use);

template <Described Request>
Request read_setup_request(const Session& session, const Json& asked, SetupUse use,
                           const AnswerWatch& watch = {}) {
  const FieldTable& table = fields_of<Request>();
  Json nested = nested_request(asked, table, table.type_name);
  note_left_out(watch, take_manifests(nested, table, use, session.files()));
  auto request = object_from_json<Request>(nested, table.type_name);
  check_given_setups(nested, use);
  hand_on(session.files(), request);
  return request;
}

}  // namespace warploom
