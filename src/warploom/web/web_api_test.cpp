// Every path of the API and every refusal, without a socket.
#include "warploom/web/web_api.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "warploom/answers/answer.h"
#include "warploom/base/error.h"
#include "warploom/web/page_files.h"
#include "warploom/web/served_requests.h"

namespace warploom {
namespace {

using namespace std::chrono_literals;

const Session& roofline_session() {
  static const Session session("roofline");
  return session;
}

CommandWords test_words() {
  return {.command_line = [](std::string_view request,
                             const Json& asked) { return std::string(request) + asked.dump(); },
          .engine_command = [](std::string_view line) -> Json {
            return {{"asked", {{"model", line}}}};
          },
          .start_command = [](const Json& asked) -> Json {
            return {{"command", "start " + asked.value("model", "")}, {"options", nullptr}};
          }};
}

class WebApiTest : public testing::Test {
 protected:
  explicit WebApiTest(WebApiLimits limits = {})
      : api_(roofline_session(), {.version = "1.2.3", .words = test_words(), .limits = limits}) {}

  HttpResponse call(const std::string& method, const std::string& path, const std::string& body = {}) {
    HttpRequest request{.method = method, .path = path, .host = "localhost", .body = body};
    if (const std::size_t mark = path.find("?name="); mark != std::string::npos) {
      request.query["name"] = path.substr(mark + 6);
      request.path = path.substr(0, mark);
    }
    return api_.handle(request);
  }
  HttpResponse post(const std::string& path, const Json& body) {
    return call("POST", "/api/v1" + path, body.dump());
  }
  HttpResponse get(const std::string& path) { return call("GET", "/api/v1" + path); }

  // The error's kind of a response with this status; empty where it is another.
  std::string refusal(const HttpResponse& response, int status) {
    const Json document = Json::parse(response.body, nullptr, false);
    if (response.status != status || !document.contains("error")) return "";
    return document["error"]["message"].get<std::string>();
  }

  // All that a stream says.
  static std::string told(const HttpResponse& response) {
    std::string text;
    while (response.stream([&](std::string_view part) {
      text += part;
      return true;
    })) {
    }
    return text;
  }

  WebApi api_;
};

Json document_of(const HttpResponse& response) { return Json::parse(response.body); }

const Json kProduct = {{"gpu", "H100-SXM"}, {"family", "gemm"}, {"m", 64}, {"n", 4096}, {"k", 4096}};
const Json kRun = {{"model", "Llama-3.1-8B"}, {"gpu", "H100-SXM"}, {"requests", 30}, {"intervals", false}};
const Json kLongJob = {
    {"model", "Llama-3.1-8B"}, {"gpu", "H100-SXM"}, {"requests", 2'000'000}, {"intervals", false}};

TEST_F(WebApiTest, SaysWhatItAnswers) {
  EXPECT_EQ(document_of(get("/version"))["version"], "1.2.3");
  const Json requests = document_of(get("/requests"))["requests"];
  EXPECT_NE(std::find(requests.begin(), requests.end(), "predict"), requests.end());
  EXPECT_EQ(std::find(requests.begin(), requests.end(), "train"), requests.end());
  const Json schemas = document_of(get("/schemas"));
  EXPECT_EQ(schemas["step"]["title"], "step");
  EXPECT_GT(document_of(get("/accuracy"))["overall"]["rows"], 0);
  const Json leaderboard = document_of(get("/leaderboard"));
  ASSERT_GT(leaderboard["splits"].size(), 0U);
  EXPECT_GT(leaderboard["splits"][0]["cells"][0]["mean_error"], 0);
}

TEST_F(WebApiTest, DescribesEveryPathItHas) {
  const Json document = document_of(get("/openapi.json"));
  EXPECT_EQ(document["openapi"], "3.1.0");
  const Json version =
      document["paths"]["/version"]["get"]["responses"]["200"]["content"]["application/json"];
  EXPECT_EQ(version["schema"]["properties"]["commit"]["type"], Json::array({"string", "null"}));
  for (const std::string& name : served_requests()) {
    EXPECT_TRUE(document["paths"].contains("/answers/" + name)) << name;
    EXPECT_TRUE(document["paths"].contains("/jobs/" + name)) << name;
    EXPECT_TRUE(document["components"]["schemas"].contains(name)) << name;
  }
  for (const char* path :
       {"/version", "/requests", "/schemas", "/accuracy", "/leaderboard", "/answers", "/jobs/{id}",
        "/jobs/{id}/events", "/command-line", "/engine-command", "/start-command", "/files", "/files/{id}"})
    EXPECT_TRUE(document["paths"].contains(path)) << path;
  EXPECT_FALSE(document.contains("security"));
}

TEST_F(WebApiTest, AnswersAsTheSessionDoes) {
  const std::vector<std::pair<std::string, Json>> questions{
      {"predict", kProduct},      {"step", {{"model", "Llama-3.1-8B"}, {"gpu", "H200"}, {"decode", "8x500"}}},
      {"simulate", kRun},         {"gpus", Json::object()},
      {"models", Json::object()}, {"gpu", {{"name", "H200"}}}};
  for (const auto& [name, asked] : questions) {
    const HttpResponse response = post("/answers/" + name, asked);
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.body, json_text(answer(roofline_session(), name, asked))) << name;
  }
}

// The answers are those of every other surface; what they left out stands beside them.
TEST_F(WebApiTest, SaysWhatAnAnswerTookInPlaceOfWhatWasAsked) {
  const Json wide = {
      {"model", "Llama-3.1-8B"}, {"gpu", "H200"}, {"decode", "8x500"}, {"tensor_parallel_size", 16}};
  const HttpResponse response = post("/answers/step", wide);
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.body, json_text(answer(roofline_session(), "step", wide)));
  const auto is_it = [](const auto& header) { return header.first == "Warploom-Notes"; };
  const auto header = std::find_if(response.headers.begin(), response.headers.end(), is_it);
  ASSERT_NE(header, response.headers.end());
  const Json notes = Json::parse(header->second);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].get<std::string>().find("16 GPUs in one tensor-parallel group"), std::string::npos);
  Json questions = Json::array();
  questions.push_back({{"request", "step"}, {"asked", wide}});
  questions.push_back({{"request", "predict"}, {"asked", kProduct}});
  const Json among = document_of(post("/answers", {{"questions", questions}}))["answers"];
  EXPECT_EQ(among[0]["notes"], notes) << among[0];
  EXPECT_FALSE(among[1].contains("notes"));
  const HttpResponse silent = post("/answers/predict", kProduct);
  EXPECT_EQ(std::count_if(silent.headers.begin(), silent.headers.end(), is_it), 0);
}

TEST_F(WebApiTest, AnswersManyQuestionsInOrder) {
  Json questions = Json::array();
  questions.push_back({{"request", "predict"}, {"asked", kProduct}});
  questions.push_back({{"request", "predict"}, {"asked", {{"gpu", "H100-SXM"}}}});
  questions.push_back({{"request", "simulate"}, {"asked", kRun}});
  questions.push_back({{"request", "nothing"}});
  questions.push_back("text");
  const Json answers = document_of(post("/answers", {{"questions", questions}}))["answers"];
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0]["answer"], answer(roofline_session(), "predict", kProduct));
  EXPECT_EQ(answers[1]["error"]["kind"], "invalid_input");
  EXPECT_EQ(answers[2]["error"]["kind"], "unsupported");
  EXPECT_EQ(answers[3]["error"]["kind"], "not_found");
  EXPECT_EQ(answers[4]["error"]["kind"], "invalid_input");
  EXPECT_NE(refusal(post("/answers", {{"questions", Json(std::vector<int>(1001))}}), 400), "");
  EXPECT_NE(refusal(post("/answers", {{"question", questions}}), 400), "");
}

TEST_F(WebApiTest, RefusesWhatIsNoRequest) {
  const std::string predict = "/api/v1/answers/predict";
  for (const char* body : {"{", "[", "\"", "{\"gpu\": }", "nul", "\xff\xfe", "{} {}"})
    EXPECT_NE(refusal(call("POST", predict, body), 400), "") << body;
  for (const char* body : {"[]", "3", "null", "\"text\""})
    EXPECT_NE(refusal(call("POST", predict, body), 400), "") << body;
  EXPECT_NE(refusal(call("POST", predict, std::string(900'000, '[')), 400).find("deeper"), std::string::npos);
  EXPECT_NE(refusal(post("/answers/predict", {{"gpu", "H100-SXM"}, {"family", "gemm"}, {"mm", 4}}), 400)
                .find("'m'"),
            std::string::npos);
  EXPECT_NE(refusal(post("/answers/predict",
                         {{"gpu", "H100-SMX"}, {"family", "gemm"}, {"m", 4}, {"n", 4}, {"k", 4}}),
                    404)
                .find("did you mean"),
            std::string::npos);
  EXPECT_NE(refusal(post("/answers/simulat", kRun), 404).find("did you mean 'simulate'"), std::string::npos);
}

TEST_F(WebApiTest, LeavesTheMachinesFilesAlone) {
  EXPECT_NE(refusal(post("/answers/simulate", {{"trace", "/etc/passwd"}, {"model", "a"}, {"gpu", "b"}}), 400)
                .find("paths of this machine"),
            std::string::npos);
  EXPECT_NE(refusal(post("/jobs/simulate", {{"trace", "../../x"}}), 400), "");
  for (const char* request : {"train", "import", "calibrate", "sweep_plan"})
    EXPECT_NE(refusal(post("/answers/" + std::string(request), Json::object()), 422), "") << request;
  EXPECT_NE(refusal(post("/answers/moe_config", {{"gpu", "H200"}, {"python", "sh"}, {"profile", true}}), 422),
            "");
  EXPECT_NE(refusal(post("/answers/tune_fit", {{"samples", {"x"}}, {"output", "table.wlt"}}), 422), "");
  for (const char* path : {"/../../etc/passwd", "/assets/../../x", "/nothing.js", "//etc/passwd"})
    EXPECT_NE(refusal(call("GET", path), 404), "") << path;
}

TEST_F(WebApiTest, KnowsItsPathsAndMethods) {
  EXPECT_NE(refusal(get("/nothing"), 404), "");
  EXPECT_NE(refusal(call("GET", "/api/v2/version"), 404), "");
  EXPECT_NE(refusal(call("GET", "/api"), 404), "");
  EXPECT_NE(refusal(call("PUT", "/api/v1/version"), 405).find("GET"), std::string::npos);
  EXPECT_NE(refusal(call("GET", "/api/v1/answers/predict"), 405).find("POST"), std::string::npos);
  EXPECT_NE(refusal(call("POST", "/index.html"), 405), "");
  EXPECT_EQ(call("GET", "/").status, 200);
}

TEST_F(WebApiTest, SendsHeadersThatKeepABrowserSafe) {
  for (const char* path : {"/", "/api/v1/version", "/api/v1/nothing"}) {
    const HttpResponse response = call("GET", path);
    const auto has = [&](const std::string& name, const std::string& part) {
      return std::any_of(response.headers.begin(), response.headers.end(), [&](const auto& header) {
        return header.first == name && header.second.find(part) != std::string::npos;
      });
    };
    EXPECT_TRUE(has("Content-Security-Policy", "script-src 'self'")) << path;
    EXPECT_FALSE(has("Content-Security-Policy", "unsafe-eval")) << path;
    EXPECT_TRUE(has("X-Content-Type-Options", "nosniff")) << path;
    EXPECT_EQ(has("Cache-Control", "no-store"), std::string(path).starts_with("/api")) << path;
  }
}

TEST_F(WebApiTest, RefusesABodyThatIsTooLong) {
  const HttpRequest head{.method = "POST", .path = "/api/v1/answers/predict", .host = "localhost"};
  EXPECT_EQ(api_.body_limit(head), std::size_t{1} << 20);
  HttpRequest whole = head;
  whole.body_complete = false;
  EXPECT_NE(refusal(api_.handle(whole), 413), "");
  HttpRequest stranger = head;
  stranger.host = "evil.example";
  EXPECT_EQ(api_.body_limit(stranger), 0U);
  EXPECT_NE(refusal(api_.handle(stranger), 403), "");
}

TEST_F(WebApiTest, KeepsFilesForTheQuestionsThatFollow) {
  const HttpResponse sent = call("POST", "/api/v1/files?name=trace.csv",
                                 "arrived_s,input_tokens,output_tokens\n0,300,20\n1,30,9\n");
  ASSERT_EQ(sent.status, 201);
  const std::string file = document_of(sent)["file"];
  Json asked = kRun;
  asked.erase("requests");
  asked["trace"] = file;
  EXPECT_EQ(document_of(post("/answers/simulate", asked))["completed"], 2);
  EXPECT_EQ(get("/files/" + file.substr(7)).body.substr(0, 9), "arrived_s");
  const std::string command =
      document_of(post("/command-line", {{"request", "simulate"}, {"asked", asked}}))["command"];
  EXPECT_NE(command.find("\"trace.csv\""), std::string::npos) << command;
  asked["trace"] = "upload:0123";
  EXPECT_NE(refusal(post("/answers/simulate", asked), 404), "");
  EXPECT_NE(refusal(call("POST", "/api/v1/files?name=../x", "x"), 400), "");
  EXPECT_NE(refusal(call("POST", "/api/v1/files", "x"), 400), "");
  EXPECT_NE(refusal(get("/files/none"), 404), "");
}

TEST_F(WebApiTest, ErrorsDoNotTellWhereFilesLie) {
  const std::string file = document_of(call("POST", "/api/v1/files?name=trace.csv", "no,trace\n"))["file"];
  Json asked = kRun;
  asked["trace"] = file;
  const HttpResponse response = post("/answers/simulate", asked);
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("trace.csv"), std::string::npos) << response.body;
  EXPECT_EQ(response.body.find(api_.uploads().folder().string()), std::string::npos) << response.body;
}

TEST_F(WebApiTest, ReadsAnEnginesCommand) {
  EXPECT_EQ(document_of(post("/engine-command", {{"line", "vllm serve x"}}))["asked"]["model"],
            "vllm serve x");
  EXPECT_NE(refusal(post("/engine-command", {{"lines", "x"}}), 400), "");
  EXPECT_NE(refusal(post("/engine-command", {{"line", 3}}), 400), "");
}

TEST_F(WebApiTest, SaysWhatStartsAnEngine) {
  EXPECT_EQ(document_of(post("/start-command", {{"asked", {{"model", "x"}}}}))["command"], "start x");
  EXPECT_NE(refusal(post("/start-command", {{"line", "x"}}), 400), "");
}

TEST_F(WebApiTest, FollowsAJobToItsAnswer) {
  const HttpResponse started = post("/jobs/simulate", kRun);
  ASSERT_EQ(started.status, 202);
  const std::string id = document_of(started)["job"];
  const std::string events = told(get("/jobs/" + id + "/events"));
  const std::size_t at = events.find("event: answer\ndata: ");
  ASSERT_NE(at, std::string::npos) << events.substr(0, 500);
  const Json expected = answer(roofline_session(), "simulate", kRun);
  EXPECT_EQ(Json::parse(events.substr(at + 20)), expected);
  EXPECT_NE(events.find("event: progress\ndata: {\"done\":30.0,\"total\":30.0}"), std::string::npos);
  const Json job = document_of(get("/jobs/" + id));
  EXPECT_EQ(job["state"], "done");
  EXPECT_EQ(job["answer"], expected);
}

TEST_F(WebApiTest, SaysWhyAJobFailed) {
  const std::string id = document_of(post("/jobs/simulate", {{"model", "Llama-3.1-8B"}}))["job"];
  const std::string events = told(get("/jobs/" + id + "/events"));
  EXPECT_NE(events.find("event: failed\ndata: {\"error\":{\"kind\":\"invalid_input\""), std::string::npos)
      << events;
  EXPECT_EQ(document_of(get("/jobs/" + id))["state"], "failed");
}

TEST_F(WebApiTest, CancelsAJobThatRuns) {
  const std::string id = document_of(post("/jobs/simulate", kLongJob))["job"];
  std::thread later([&] {
    std::this_thread::sleep_for(300ms);
    EXPECT_EQ(call("DELETE", "/api/v1/jobs/" + id).status, 202);
  });
  const std::string events = told(get("/jobs/" + id + "/events"));
  later.join();
  const std::size_t at = events.find("event: cancelled\ndata: ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(Json::parse(events.substr(at + 23))["answer"]["partial"], true);
  EXPECT_NE(refusal(call("DELETE", "/api/v1/jobs/unknown"), 404), "");
  EXPECT_NE(refusal(get("/jobs/unknown/events"), 404), "");
}

class SmallWebApiTest : public WebApiTest {
 protected:
  SmallWebApiTest()
      : WebApiTest({.long_answers = 0,
                    .streams = 1,
                    .event_gap = 20ms,
                    .silence = std::chrono::seconds(0),
                    .jobs = {.running = 1, .waiting = 1}}) {}
};

TEST_F(SmallWebApiTest, RefusesMoreThanItHolds) {
  const HttpResponse first = post("/jobs/simulate", kLongJob);
  ASSERT_EQ(first.status, 202);
  const std::string id = document_of(first)["job"];
  while (document_of(get("/jobs/" + id))["state"] == "waiting") std::this_thread::sleep_for(1ms);
  EXPECT_EQ(post("/jobs/simulate", kLongJob).status, 202);
  const HttpResponse third = post("/jobs/simulate", kLongJob);
  EXPECT_NE(refusal(third, 429), "");
  EXPECT_TRUE(std::any_of(third.headers.begin(), third.headers.end(),
                          [](const auto& header) { return header.first == "Retry-After"; }));
  EXPECT_NE(refusal(post("/answers/simulate", kRun), 429), "");
  EXPECT_EQ(post("/answers/predict", kProduct).status, 200);
  {
    const HttpResponse followed = get("/jobs/" + id + "/events");
    EXPECT_NE(refusal(get("/jobs/" + id + "/events"), 429), "");
    // A client that is gone ends its stream, and the job goes on.
    EXPECT_FALSE(followed.stream([](std::string_view) { return false; }));
  }
  EXPECT_EQ(get("/jobs/" + id + "/events").status, 200);
  EXPECT_EQ(document_of(get("/jobs/" + id))["state"], "running");
  EXPECT_TRUE(api_.end_answers(10s));
}

TEST_F(WebApiTest, TakesNoRunThatFillsTheMemory) {
  Json asked = kLongJob;
  asked["requests"] = 5'000'000;
  EXPECT_NE(refusal(post("/answers/simulate", asked), 400).find("at most 2000000"), std::string::npos);
  EXPECT_NE(refusal(post("/jobs/simulate", {{"source", {{"requests", 1e18}}}}), 400), "");
}

class HastyWebApiTest : public WebApiTest {
 protected:
  HastyWebApiTest() : WebApiTest({.answer_time = std::chrono::seconds(0)}) {}
};

TEST_F(HastyWebApiTest, EndsAnswersThatTakeTooLong) {
  EXPECT_NE(refusal(post("/answers/simulate", kLongJob), 503).find("/api/v1/jobs/simulate"),
            std::string::npos);
}

TEST(PageFiles, AreWhatTheBuildHas) {
  const auto index = page_text("index.html"), report = page_text("report.html");
  EXPECT_EQ(index.has_value(), report.has_value());
  if (!index) return;
  const HttpResponse plain = page_file({.path = "/"}),
                     packed = page_file({.path = "/", .accepts_gzip = true});
  EXPECT_EQ(plain.body, *index);
  EXPECT_LT(packed.body.size(), plain.body.size() + 30);
  EXPECT_EQ(packed.body.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(plain.content_type, "text/html; charset=utf-8");
  EXPECT_NE(report->find(R"(<script type="application/json" id="warploom-report">null</script>)"),
            std::string::npos);
}

}  // namespace
}  // namespace warploom
