#include "warploom/serving/workload/named_sessions.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/json.h"
#include "warploom_embedded/session_traces.h"

namespace warploom {
namespace {

const std::vector<NamedSessions>& all_sessions() {
  static const std::vector<NamedSessions> all = [] {
    std::vector<NamedSessions> read;
    for (const EmbeddedFile& file : embedded::session_traces())
      read.push_back(object_from_json<NamedSessions>(parse_json(file.contents, file.name), file.name));
    return read;
  }();
  return all;
}

}  // namespace

FieldTable NamedSessions::describe() {
  using N = NamedSessions;
  return FieldList<N>("session_workload")
      .add("name", &N::name, {.required = true})
      .add("source", &N::source, {.required = true})
      .add("shape", &N::shape, {.required = true})
      .table();
}

std::vector<std::string> named_sessions_names() {
  std::vector<std::string> names;
  for (const NamedSessions& each : all_sessions()) names.push_back(each.name);
  return names;
}

const NamedSessions* find_named_sessions(std::string_view name) {
  const auto& all = all_sessions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const NamedSessions& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

double requests_of_session(const SessionShape& shape) {
  const double branched = shape.branch_share * double(shape.branches) * double(shape.branch_turns);
  return double(shape.turns) + double(shape.turns - 1) * branched;
}

SessionShape sessions_for(SessionShape shape, std::int64_t requests) {
  shape.sessions = std::max<std::int64_t>(1, std::llround(double(requests) / requests_of_session(shape)));
  return shape;
}

}  // namespace warploom
