#include "warploom/web/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "warploom/answers/request_schema.h"
#include "warploom/web/served_requests.h"

namespace warploom {
namespace {

Json reference(std::string_view name) { return {{"$ref", fmt::format("#/components/schemas/{}", name)}}; }

Json content(Json schema, std::string_view type = "application/json") {
  return {{std::string(type), {{"schema", std::move(schema)}}}};
}

Json object_of(Json properties) {
  Json required = Json::array();
  for (const auto& [name, schema] : properties.items()) required.push_back(name);
  return {{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

const Json kText = {{"type", "string"}};
const Json kTextOrNull = {{"type", {"string", "null"}}};
const Json kCount = {{"type", "number"}};
const Json kDocument = {{"type", "object"}, {"description", "as the command line prints it with --json"}};

// An operation with its answer and the errors that each may have.
Json operation(std::string_view about, int status, Json answer, Json body = nullptr) {
  Json result{{"summary", about}};
  if (!body.is_null()) result["requestBody"] = {{"content", std::move(body)}};
  result["responses"] = {
      {std::to_string(status), {{"description", about}, {"content", std::move(answer)}}},
      {"default", {{"description", "what is wrong"}, {"content", content(reference("Error"))}}}};
  return result;
}

// The few requests that have no field list.
Json named_request(bool named) {
  if (!named) return {{"type", "object"}, {"additionalProperties", false}};
  return {{"type", "object"}, {"properties", {{"name", kText}}}, {"additionalProperties", false}};
}

Json schemas() {
  Json result = Json::object();
  const Json described = request_schemas();
  const std::set<std::string> named{"gpus", "gpu", "models", "schema"};
  for (const std::string& name : served_requests()) {
    if (described.contains(name))
      result[name] = described[name];
    else
      result[name] = named.contains(name) ? named_request(name != "gpus") : kDocument;
    // Each stands inside this document.
    result[name].erase("$schema");
  }
  result["Error"] = object_of({{"error", object_of({{"kind", kText}, {"message", kText}})}});
  result["Job"] = object_of({{"job", kText},
                             {"request", kText},
                             {"state", {{"enum", {"waiting", "running", "done", "failed", "cancelled"}}}},
                             {"done", kCount},
                             {"total", kCount}});
  return result;
}

void add_request_paths(Json& paths) {
  for (const std::string& name : served_requests()) {
    paths["/answers/" + name]["post"] = operation(
        fmt::format("the answer to `{}`; fields may also stand without the objects around them", name), 200,
        content(kDocument), content(reference(name)));
    paths["/jobs/" + name]["post"] =
        operation(fmt::format("starts a job that answers `{}`", name), 202,
                  content(object_of({{"job", kText}})), content(reference(name)));
  }
}

void add_job_paths(Json& paths) {
  const Json id = {{{"name", "id"}, {"in", "path"}, {"required", true}, {"schema", kText}}};
  Json& job = paths["/jobs/{id}"];
  job["parameters"] = id;
  job["get"] = operation("how far a job is, with its answer or error", 200, content(reference("Job")));
  job["delete"] = operation("asks a job to end", 202, content(object_of({{"job", kText}})));
  Json& events = paths["/jobs/{id}/events"];
  events["parameters"] = id;
  events["get"] = operation("events `progress` and `said`, then one of `answer`, `failed`, `cancelled`", 200,
                            content(kText, "text/event-stream"));
}

}  // namespace

Json openapi_document(std::string_view version, bool with_token) {
  Json paths = Json::object();
  paths["/version"]["get"] =
      operation("the program's version, commit and predictor", 200,
                content(object_of({{"version", kText}, {"commit", kTextOrNull}, {"predictor", kText}})));
  paths["/requests"]["get"] = operation("names of requests", 200, content(kDocument));
  paths["/schemas"]["get"] = operation("a JSON schema of each request", 200, content(kDocument));
  paths["/accuracy"]["get"] = operation("errors of predictions, per family and GPU", 200, content(kDocument));
  paths["/leaderboard"]["get"] =
      operation("errors of other methods on the same rows", 200, content(kDocument));
  add_request_paths(paths);
  paths["/answers"]["post"] =
      operation("up to a thousand short answers", 200, content(object_of({{"answers", {{"type", "array"}}}})),
                content(object_of({{"questions",
                                    {{"type", "array"},
                                     {"maxItems", 1000},
                                     {"items", object_of({{"request", kText}, {"asked", kDocument}})}}}})));
  add_job_paths(paths);
  paths["/command-line"]["post"] =
      operation("the command that asks the same", 200, content(object_of({{"command", kText}})),
                content(object_of({{"request", kText}, {"asked", kDocument}})));
  paths["/engine-command"]["post"] = operation(
      "the fields that an engine's start command says", 200,
      content(object_of({{"asked", kDocument}, {"ignored", {{"type", "array"}, {"items", kText}}}})),
      content(object_of({{"line", kText}})));
  paths["/start-command"]["post"] =
      operation("what starts the engine that fields of simulate describe", 200,
                content(object_of({{"command", kText}, {"options", kDocument}})),
                content(object_of({{"asked", kDocument}})));
  paths["/files"]["post"] =
      operation("keeps a file for the requests that follow: name it as \"upload:ID\"", 201,
                content(object_of({{"file", kText}})), content(kText, "application/octet-stream"));
  paths["/files/{id}"]["parameters"] = {
      {{"name", "id"}, {"in", "path"}, {"required", true}, {"schema", kText}}};
  paths["/files/{id}"]["get"] =
      operation("the bytes of a file", 200, content(kText, "application/octet-stream"));
  paths["/files"]["post"]["parameters"] = {
      {{"name", "name"}, {"in", "query"}, {"required", true}, {"schema", kText}}};
  Json document{{"openapi", "3.1.0"},
                {"info", {{"title", "Warploom"}, {"version", version}}},
                {"servers", {{{"url", "/api/v1"}}}},
                {"paths", std::move(paths)},
                {"components", {{"schemas", schemas()}}}};
  if (with_token) {
    document["components"]["securitySchemes"] = {{"token", {{"type", "http"}, {"scheme", "bearer"}}}};
    document["security"] = {{{"token", Json::array()}}};
  }
  return document;
}

}  // namespace warploom
