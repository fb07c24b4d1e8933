// Simulated engines behind an engine's API, over real connections and a fast clock.
#include "warploom/web/mock_api.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "warploom/answers/answer.h"
#include "warploom/answers/live_engines.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/web/http_server.h"

namespace warploom {
namespace {

const Json kDeployment{{"model", "Llama-3.1-8B"}, {"gpu", "H100-SXM"}, {"max_model_len", 8192}};
constexpr double kSpeedup = 20;

class MockApiTest : public testing::Test {
 protected:
  MockApiTest()
      : session_("roofline"),
        engines_(live_engines(session_, kDeployment), kSpeedup),
        api_(engines_, {.model = "llama", .version = "1"}),
        server_(open_http_server(WARPLOOM_HTTP_LIBRARY, {.threads = 8}, api_)),
        thread_([this] { server_->run(); }) {}
  ~MockApiTest() override {
    engines_.stop();
    server_->stop();
    thread_.join();
  }

  int connect() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(std::uint16_t(server_->port()));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    return socket;
  }
  int send(const std::string& line, const std::string& body = {}) const {
    const int socket = connect();
    const std::string text =
        line + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
        body;
    EXPECT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
    return socket;
  }
  // The whole response.
  std::string call(const std::string& line, const std::string& body = {}) const {
    const int socket = send(line, body);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 1; got > 0;) {
      got = ::recv(socket, part.data(), part.size(), 0);
      if (got > 0) text.append(part.data(), std::size_t(got));
    }
    ::close(socket);
    return text;
  }
  Json post(const std::string& path, const Json& body) const {
    const std::string answer = call("POST " + path, body.dump());
    return Json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }

  Session session_;
  PacedEngines engines_;
  MockApi api_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(MockApiTest, AnswersInOnePieceWithTheTokensThatWereAsked) {
  const Json answer = post("/v1/completions", {{"prompt", {1, 2, 3}}, {"max_tokens", 5}});
  EXPECT_EQ(answer["choices"][0]["text"], " word word word word word");
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 3);
  EXPECT_EQ(answer["usage"]["completion_tokens"], 5);
  const Json talk =
      post("/v1/chat/completions", {{"model", "llama"},
                                    {"messages", {{{"role", "user"}, {"content", std::string(400, 'x')}}}},
                                    {"max_completion_tokens", 2}});
  EXPECT_EQ(talk["choices"][0]["message"]["content"], " word word");
  EXPECT_EQ(talk["usage"]["prompt_tokens"], 100);
}

TEST_F(MockApiTest, StreamsOneEventForEachTokenAndTheUsageAtTheEnd) {
  const std::string answer = call("POST /v1/completions",
                                  R"({"prompt": "0123456789ab", "max_tokens": 6, "stream": true,
                                      "stream_options": {"include_usage": true}})");
  EXPECT_NE(answer.find("text/event-stream"), std::string::npos);
  EXPECT_EQ(count_of(answer, R"("text":" word")"), 6U);
  EXPECT_EQ(count_of(answer, R"("finish_reason":"length")"), 1U);
  EXPECT_NE(answer.find(R"("usage":{"prompt_tokens":3,"completion_tokens":6,"total_tokens":9})"),
            std::string::npos);
  EXPECT_NE(answer.find("data: [DONE]"), std::string::npos);
}

// One request is alone with its clock: what the engine took is what `simulate` says, and tokens do not leave
// before their time.
TEST_F(MockApiTest, TakesTheTimeOfTheSimulation) {
  Json asked = kDeployment;
  asked.update({{"random_input_len", 4000}, {"random_output_len", 200}});
  asked.update({{"requests", 1}, {"intervals", false}});
  const Json simulated = answer(session_, "simulate", asked);
  const auto begin = std::chrono::steady_clock::now();
  const Json got = post("/v1/completions", {{"prompt", std::vector<int>(4000, 1)}, {"max_tokens", 200}});
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(got["usage"]["completion_tokens"], 200);
  EXPECT_GE(taken.count() * kSpeedup, simulated["mean_e2el_ms"].get<double>());
  const PacedFigures figures = engines_.figures();
  EXPECT_EQ(figures.completed, 1);
  EXPECT_NEAR(figures.e2el.sum() * 1e3, simulated["mean_e2el_ms"].get<double>(), 1e-3);
  EXPECT_NEAR(figures.ttft.sum() * 1e3, simulated["mean_ttft_ms"].get<double>(), 1e-3);
  EXPECT_NEAR(figures.tpot.sum() * 1e3, simulated["mean_tpot_ms"].get<double>(), 1e-3);
}

TEST_F(MockApiTest, FreesTheEngineOfAClientThatLeft) {
  const int socket = send("POST /v1/completions", R"({"prompt": [1], "max_tokens": 8000, "stream": true})");
  while (engines_.figures().generated_tokens < 3) std::this_thread::yield();
  ::close(socket);
  while (engines_.figures().stopped == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  while (engines_.figures().load.running > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(engines_.figures().completed, 0);
  EXPECT_LT(engines_.figures().generated_tokens, 8000);
}

TEST_F(MockApiTest, TellsWhatOperatorsLookAt) {
  post("/v1/completions", {{"prompt", {1, 2, 3}}, {"max_tokens", 5}});
  const std::string metrics = call("GET /metrics");
  for (const char* line : {"vllm:generation_tokens_total{engine=\"0\",model_name=\"llama\"} 5",
                           "vllm:prompt_tokens_total{engine=\"0\",model_name=\"llama\"} 3",
                           "vllm:time_to_first_token_seconds_count{engine=\"0\",model_name=\"llama\"} 1",
                           "vllm:num_requests_running{engine=\"0\",model_name=\"llama\"} 0"})
    EXPECT_NE(metrics.find(line), std::string::npos) << line;
  EXPECT_NE(call("GET /health").find(" 200 "), std::string::npos);
  EXPECT_NE(call("GET /v1/models").find(R"("id":"llama")"), std::string::npos);
}

TEST_F(MockApiTest, RefusesInTheFormOfOpenAI) {
  const auto refused = [&](const Json& body) { return post("/v1/completions", body)["error"]; };
  EXPECT_EQ(refused({{"prompt", "x"}, {"model", "other"}})["code"], 404);
  for (const Json& body : {Json{{"prompt", Json::array()}}, Json{{"max_tokens", 5}},
                           Json{{"prompt", {1}}, {"max_tokens", 0}}, Json{{"prompt", {1}}, {"n", 2}},
                           Json{{"prompt", {"a", "b"}}}, Json{{"prompt", std::vector<int>(8192, 1)}}}) {
    const Json error = refused(body);
    EXPECT_EQ(error["code"], 400) << body.dump().substr(0, 80);
    EXPECT_EQ(error["type"], "BadRequestError");
  }
  EXPECT_NE(call("POST /v1/completions", "{").find(" 400 "), std::string::npos);
  EXPECT_NE(call("GET /v1/completions").find(" 405 "), std::string::npos);
  EXPECT_NE(call("GET /v1/nothing").find(" 404 "), std::string::npos);
}

// No member in a wrong type ends in a failure of the program; texts of any length are prompts.
TEST_F(MockApiTest, RefusesMembersOfWrongTypes) {
  const Json message{{"role", "user"}, {"content", "hello"}};
  const Json sound{{"model", "llama"},
                   {"messages", {message}},
                   {"stream", false},
                   {"stream_options", {{"include_usage", true}}},
                   {"n", 1},
                   {"max_tokens", 2},
                   {"max_completion_tokens", 2}};
  int refused = 0;
  const auto look = [&](const Json& body) {
    const std::string answer = call("POST /v1/chat/completions", body.dump());
    const std::string status = answer.substr(answer.find(' ') + 1, 3);
    EXPECT_TRUE(status == "200" || status == "400" || status == "404") << body.dump() << ": " << answer;
    EXPECT_EQ(answer.find("json.exception"), std::string::npos) << answer;
    refused += status != "200";
  };
  for (const Json& wrong : {Json(), Json(true), Json(-1), Json(0.5), Json("text"), Json::array(),
                            Json::object(), Json::array({{1, "two", nullptr}})}) {
    for (const auto& [key, value] : sound.items()) {
      Json body = sound;
      body[key] = wrong;
      look(body);
    }
    for (const char* key : {"role", "content"}) {
      Json body = sound;
      body["messages"][0][key] = wrong;
      look(body);
    }
    look(wrong);
  }
  EXPECT_GT(refused, 40);
}

}  // namespace
}  // namespace warploom
