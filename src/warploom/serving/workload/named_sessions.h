// Workloads of sessions that have a name, for example "agents": shapes that are stated, not measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/serving/workload/session_workload.h"

namespace warploom {

struct NamedSessions {
  std::string name, source;
  SessionShape shape;
  static FieldTable describe();
};

// The built-in ones. Null: there is none of that name.
std::vector<std::string> named_sessions_names();
const NamedSessions* find_named_sessions(std::string_view name);

// Requests of a session, its branches' too, on average.
double requests_of_session(const SessionShape& shape);

// `shape` with as many sessions as make so many requests on average, at least one.
SessionShape sessions_for(SessionShape shape, std::int64_t requests);

}  // namespace warploom
