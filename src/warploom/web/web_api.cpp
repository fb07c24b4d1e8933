#include "warploom/web/web_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "warploom/answers/answer.h"
#include "warploom/answers/request_schema.h"
#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/web/accuracy_points.h"
#include "warploom/web/answer_deadline.h"
#include "warploom/web/gzip.h"
#include "warploom/web/openapi.h"
#include "warploom/web/page_files.h"
#include "warploom/web/served_requests.h"

namespace warploom {
namespace {

constexpr std::string_view kApi = "/api/v1";

HttpResponse json_response(const Json& document, int status = 200) {
  return {.status = status, .body = json_text(document)};
}

const Json& member(const Json& body, const char* name, std::string_view where) {
  if (!body.is_object() || !body.contains(name))
    throw InvalidInput(fmt::format("{}: {} is missing, expected an object with it", where, name));
  return body[name];
}

std::string text_member(const Json& body, const char* name, std::string_view where) {
  const Json& value = member(body, name, where);
  if (!value.is_string()) throw InvalidInput(fmt::format("{}: {} is no text", where, name));
  return value.get<std::string>();
}

void check_keys(const Json& body, std::initializer_list<std::string_view> known, std::string_view where) {
  if (!body.is_object())
    throw InvalidInput(fmt::format("{}: is {}, expected an object", where, body.type_name()));
  for (const auto& [key, value] : body.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InvalidInput(
          fmt::format("{}: '{}' is unknown, expected {}", where, key, fmt::join(known, " and ")));
}

// Short answers are one packet anyway.
constexpr std::size_t kLeastPacked = 1024;  // bytes

bool is_worth_packing(const HttpResponse& response) {
  return response.content_type == "application/json" && response.body.size() >= kLeastPacked;
}

}  // namespace

// A path, or its beginning where something follows.
struct WebApi::Route {
  std::string_view method, path;
  bool open;  // something follows the path
  HttpResponse (WebApi::*answer)(const HttpRequest& request, std::string_view rest);

  bool has(std::string_view asked) const {
    if (!open) return asked == path;
    return asked.starts_with(path) && asked.size() > path.size();
  }
};

const std::vector<WebApi::Route>& WebApi::routes() {
  static const std::vector<Route> list{
      {"GET", "/version", false, &WebApi::get_version},
      {"GET", "/requests", false, &WebApi::get_requests},
      {"GET", "/schemas", false, &WebApi::get_schemas},
      {"GET", "/openapi.json", false, &WebApi::get_openapi},
      {"GET", "/accuracy", false, &WebApi::get_accuracy},
      {"GET", "/leaderboard", false, &WebApi::get_leaderboard},
      {"POST", "/answers", false, &WebApi::post_questions},
      {"POST", "/answers/", true, &WebApi::post_answer},
      {"POST", "/jobs/", true, &WebApi::post_job},
      {"GET", "/jobs/", true, &WebApi::get_job},
      {"DELETE", "/jobs/", true, &WebApi::delete_job},
      {"POST", "/command-line", false, &WebApi::post_command_line},
      {"POST", "/engine-command", false, &WebApi::post_engine_command},
      {"POST", "/start-command", false, &WebApi::post_start_command},
      {"POST", "/files", false, &WebApi::post_file},
      {"GET", "/files/", true, &WebApi::get_file},
  };
  return list;
}

WebApi::WebApi(const Session& session, WebApiSettings settings)
    : settings_(std::move(settings)),
      uploads_(settings_.limits.uploads),
      session_(session, FileScope::folder(uploads_.folder())),
      jobs_([this](const std::string& name, const Json& asked,
                   const AnswerWatch& watch) { return json_text(answered(name, asked, watch)); },
            [this](const std::exception_ptr& error) { return failure(error); }, settings_.limits.jobs) {}

WebApi::~WebApi() = default;

std::size_t WebApi::body_limit(const HttpRequest& head) const {
  if (refused_access(settings_.access, head)) return 0;
  return head.path == std::string(kApi) + "/files" ? uploads_.limits().file_bytes
                                                   : settings_.limits.body_bytes;
}

HttpResponse WebApi::handle(const HttpRequest& request) {
  HttpResponse response;
  try {
    response = routed(request);
  } catch (...) {
    const ErrorAnswer error = failure(std::current_exception());
    response = error_response(error);
    if (error.status == 429) response.headers.emplace_back("Retry-After", "5");
    if (error.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  }
  if (request.accepts_gzip && is_worth_packing(response)) {
    response.body = gzipped(response.body);
    response.headers.emplace_back("Content-Encoding", "gzip");
  }
  for (const auto& header : safety_headers()) response.headers.push_back(header);
  if (request.path.starts_with("/api")) response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

HttpResponse WebApi::routed(const HttpRequest& request) {
  if (const auto refused = refused_access(settings_.access, request))
    throw HttpRefusal(refused->status, refused->kind, refused->message);
  std::string_view path = request.path;
  if (!path.starts_with("/api")) {
    if (request.method != "GET" && request.method != "HEAD")
      throw HttpRefusal(405, "method_not_allowed", "expected GET of a page");
    return page_file(request);
  }
  if (!path.starts_with(std::string(kApi) + "/"))
    throw NotFound(
        "path: unknown, expected one that begins with /api/v1/; GET /api/v1/openapi.json lists them");
  path.remove_prefix(kApi.size());
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string methods;
  for (const Route& route : routes()) {
    if (!route.has(path)) continue;
    if (route.method != method) {
      methods += (methods.empty() ? "" : " or ") + std::string(route.method);
      continue;
    }
    if (!request.body_complete)
      throw HttpRefusal(413, "too_large",
                        fmt::format("body: longer than the {} bytes that are taken here, a form, or too slow",
                                    body_limit(request)));
    return (this->*route.answer)(request, path.substr(route.path.size()));
  }
  if (!methods.empty())
    throw HttpRefusal(405, "method_not_allowed",
                      fmt::format("{} is not taken here, expected {}", request.method, methods));
  throw NotFound("path: unknown; GET /api/v1/openapi.json lists those there are");
}

HttpResponse WebApi::get_version(const HttpRequest&, std::string_view) {
  return json_response({{"version", settings_.version},
                        {"commit", settings_.commit.empty() ? Json(nullptr) : Json(settings_.commit)},
                        {"predictor", settings_.predictor_hash}});
}

HttpResponse WebApi::get_requests(const HttpRequest&, std::string_view) {
  return json_response({{"requests", served_requests()}});
}

HttpResponse WebApi::get_schemas(const HttpRequest&, std::string_view) {
  // The same for as long as the program runs, and the first thing that a page asks for.
  static const HttpResponse response = json_response(request_schemas());
  return response;
}

HttpResponse WebApi::get_openapi(const HttpRequest&, std::string_view) {
  return json_response(openapi_document(settings_.version, !settings_.access.token.empty()));
}

HttpResponse WebApi::get_accuracy(const HttpRequest&, std::string_view) {
  return {.body = std::string(accuracy_points_text())};
}

HttpResponse WebApi::get_leaderboard(const HttpRequest&, std::string_view) {
  return {.body = std::string(leaderboard_text())};
}

ErrorAnswer WebApi::failure(const std::exception_ptr& error) const {
  ErrorAnswer answer = error_answer(error);
  answer.message = uploads_.without_paths(answer.message);
  return answer;
}

Json WebApi::asked_in(const HttpRequest& request, std::string_view name) const {
  served_reach(name);
  Json asked = parse_body(request.body);
  check_requests(asked, settings_.limits.simulated_requests);
  return asked;
}

namespace {

// Header of an answer: what it left out of what was asked, or took in its place, as a JSON list of lines. The
// answer itself is the same on every surface.
constexpr const char* kNotesHeader = "Warploom-Notes";

// Keeps what an answer notes. Of one answer at a time.
struct AnswerNotes {
  Json lines = Json::array();
  void keep(std::string line) { lines.push_back(std::move(line)); }
};

HttpResponse with_notes(HttpResponse response, const AnswerNotes& notes) {
  if (!notes.lines.empty())  // a header holds ASCII alone
    response.headers.emplace_back(kNotesHeader,
                                  notes.lines.dump(-1, ' ', true, Json::error_handler_t::replace));
  return response;
}

}  // namespace

Json WebApi::answered(const std::string& name, const Json& asked, const AnswerWatch& watch) {
  const Json placed = uploads_.with_paths(asked, served_reach(name));
  Json document = answer(session_, name, placed, watch);
  if (Json files = uploads_.keep_outputs(placed); !files.empty()) document["files"] = std::move(files);
  return document;
}

// Long answers share the threads of all requests, so they are few and end; those that need longer are jobs.
Json WebApi::answer_within_time(const HttpRequest& request, const std::string& name, const Json& asked,
                                const std::function<void(std::string_view)>& noted) {
  if (served_reach(name).is_short) {
    AnswerWatch watch;
    watch.noted = noted;
    return answered(name, asked, watch);
  }
  struct Turn {
    std::atomic<std::size_t>& taken;
    ~Turn() { --taken; }
  };
  const std::size_t before = long_answers_++;
  const Turn turn{long_answers_};
  if (before >= settings_.limits.long_answers)
    throw HttpRefusal(
        429, "busy",
        fmt::format("{} long answers are on their way, expected POST /api/v1/jobs/{}", before, name));
  const AnswerDeadline deadline(settings_.limits.answer_time, request.is_gone, ending_);
  const auto look = [&] {
    if (deadline.passed() && !ends_with_a_part(name)) throw AnswerEnded();
  };
  const HttpRefusal refusal(503, "too_slow",
                            fmt::format("{}: takes longer than {} s, expected POST /api/v1/jobs/{}", name,
                                        settings_.limits.answer_time.count(), name));
  try {
    Json document = answered(name, asked,
                             {.progress = [&](double, double) { look(); },
                              .said = [&](std::string_view) { look(); },
                              .noted = noted,
                              .cancelled = &deadline.passed()});
    if (!deadline.passed()) return document;
  } catch (const AnswerEnded&) {
  }
  if (deadline.is_ending()) throw HttpRefusal(503, "ending", name + ": the server was told to end");
  throw refusal;
}

HttpResponse WebApi::post_answer(const HttpRequest& request, std::string_view rest) {
  const std::string name(rest);
  const Json asked = asked_in(request, name);
  AnswerNotes notes;
  HttpResponse response = json_response(answer_within_time(request, name, asked, [&](std::string_view line) {
    notes.keep(uploads_.without_paths(std::string(line)));
  }));
  return with_notes(std::move(response), notes);
}

// {"answer"}, with "notes" where there are any, or {"error"}.
Json WebApi::answered_question(const Json& question) {
  try {
    check_keys(question, {"request", "asked"}, "questions");
    const std::string name = text_member(question, "request", "questions");
    if (!served_reach(name).is_short)
      throw Unsupported(fmt::format(
          "request: '{}' is not answered among others, expected POST /api/v1/answers/{}", name, name));
    AnswerNotes notes;
    AnswerWatch watch;
    watch.noted = [&](std::string_view line) { notes.keep(uploads_.without_paths(std::string(line))); };
    Json document{{"answer", answered(name, question.value("asked", Json::object()), watch)}};
    if (!notes.lines.empty()) document["notes"] = std::move(notes.lines);
    return document;
  } catch (...) {
    return error_json(failure(std::current_exception()));
  }
}

HttpResponse WebApi::post_questions(const HttpRequest& request, std::string_view) {
  const Json body = parse_body(request.body);
  check_keys(body, {"questions"}, "body");
  const Json& questions = member(body, "questions", "body");
  if (!questions.is_array() || questions.size() > settings_.limits.questions)
    throw InvalidInput(fmt::format("questions: expected a list of at most {}", settings_.limits.questions));
  std::vector<Json> answers(questions.size());
  // Beside other requests' threads: a page that redraws waits for all of them.
  parallel_for(questions.size(), 0, [&](std::size_t i) { answers[i] = answered_question(questions[i]); });
  return json_response({{"answers", std::move(answers)}});
}

HttpResponse WebApi::post_command_line(const HttpRequest& request, std::string_view) {
  const Json body = parse_body(request.body);
  check_keys(body, {"request", "asked"}, "body");
  const std::string name = text_member(body, "request", "body");
  const Json asked = uploads_.with_names(body.value("asked", Json::object()));
  return json_response({{"command", settings_.words.command_line(name, asked)}});
}

HttpResponse WebApi::post_engine_command(const HttpRequest& request, std::string_view) {
  const Json body = parse_body(request.body);
  check_keys(body, {"line"}, "body");
  return json_response(settings_.words.engine_command(text_member(body, "line", "body")));
}

HttpResponse WebApi::post_start_command(const HttpRequest& request, std::string_view) {
  const Json body = parse_body(request.body);
  check_keys(body, {"asked"}, "body");
  return json_response(settings_.words.start_command(body.value("asked", Json::object())));
}

HttpResponse WebApi::post_file(const HttpRequest& request, std::string_view) {
  const auto name = request.query.find("name");
  if (name == request.query.end())
    throw InvalidInput("name: is missing, expected /api/v1/files?name=trace.csv");
  return json_response({{"file", uploads_.add(name->second, request.body)}}, 201);
}

HttpResponse WebApi::get_file(const HttpRequest&, std::string_view rest) {
  auto [name, contents] = uploads_.read(std::string(rest));
  return {.content_type = "application/octet-stream",
          .headers = {{"Content-Disposition", fmt::format("attachment; filename=\"{}\"", name)}},
          .body = std::move(contents)};
}

}  // namespace warploom
