// The API over real connections.
#include "warploom/web/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/web/gzip.h"
#include "warploom/web/web_api.h"

namespace warploom {
namespace {

using namespace std::chrono_literals;

// A connection that sends what it is told to, byte by byte, and reads until the server closes it.
class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(std::uint16_t(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  void send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(std::size_t(sent));
    }
  }
  std::string read(std::size_t least = std::string::npos) const {
    std::string text;
    std::array<char, 4096> part{};
    while (text.size() < least) {
      const ssize_t got = ::recv(socket_, part.data(), part.size(), 0);
      if (got <= 0) break;
      text.append(part.data(), std::size_t(got));
    }
    return text;
  }
  // Until these words have come.
  std::string read_until(std::string_view words) const {
    std::string text;
    while (text.find(words) == std::string::npos) {
      const std::string more = read(1);
      if (more.empty()) break;
      text += more;
    }
    return text;
  }

 private:
  int socket_;
};

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest()
      : session_("roofline"),
        api_(session_, {.version = "1", .access = {.token = "a-token-of-tests"}}),
        server_(open_http_server(WARPLOOM_HTTP_LIBRARY,
                                 {.threads = 6, .idle_limit = 1s, .head_time_limit = 2s}, api_)),
        thread_([this] { server_->run(); }) {}
  ~HttpServerTest() override {
    api_.end_answers(10s);
    server_->stop();
    thread_.join();
  }

  // The whole response to a request of these lines and body.
  std::string call(const std::string& line, const std::string& headers = {},
                   const std::string& body = {}) const {
    const RawConnection connection(server_->port());
    connection.send(
        line + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-token-of-tests\r\n" + headers +
        (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body);
    return connection.read();
  }
  std::string post(const std::string& path, const Json& body) const {
    return call("POST /api/v1" + path, "", body.dump());
  }
  bool lives() const { return call("GET /api/v1/version").starts_with("HTTP/1.1 200 OK\r\n"); }

  Session session_;
  WebApi api_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

std::string body_of(const std::string& response) {
  const std::size_t end = response.find("\r\n\r\n");
  return end == std::string::npos ? "" : response.substr(end + 4);
}

const Json kAskedProduct = {{"gpu", "H100-SXM"}, {"family", "gemm"}, {"m", 64}, {"n", 4096}, {"k", 4096}};

TEST_F(HttpServerTest, AnswersOverAConnection) {
  const std::string response = post("/answers/predict", kAskedProduct);
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
  EXPECT_GT(Json::parse(body_of(response))["p50_us"], 0);
  EXPECT_NE(response.find("Content-Security-Policy: "), std::string::npos);
  EXPECT_NE(response.find("Connection: close"), std::string::npos);
}

TEST_F(HttpServerTest, SaysWhatIsWrongWhateverTheClientUnpacks) {
  for (const char* headers : {"", "Accept-Encoding: gzip\r\n"}) {
    const std::string refused = call("GET /api/v1/nothing", headers);
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 404 ")) << refused;
    if (refused.find("Content-Encoding: gzip") == std::string::npos)
      EXPECT_NE(body_of(refused).find("path: unknown"), std::string::npos) << refused;
    else
      EXPECT_NE(unzipped(body_of(refused)).find("path: unknown"), std::string::npos) << refused;
  }
}

// What a browser takes: gzip, and never brotli, whose greatest effort the library would spend on an answer.
TEST_F(HttpServerTest, PacksLongAnswersOnly) {
  const std::string line = "GET /api/v1/schemas", plain = body_of(call(line));
  const std::string packed = call(line, "Accept-Encoding: gzip, deflate, br, zstd\r\n");
  EXPECT_NE(packed.find("Content-Encoding: gzip\r\n"), std::string::npos);
  EXPECT_EQ(packed.find("Content-Encoding: br"), std::string::npos);
  EXPECT_LT(body_of(packed).size(), plain.size() / 4);
  EXPECT_EQ(unzipped(body_of(packed)), plain);
  EXPECT_EQ(body_of(call(line, "Accept-Encoding: br\r\n")), plain);
  EXPECT_EQ(call("GET /api/v1/version", "Accept-Encoding: gzip, br\r\n").find("Content-Encoding"),
            std::string::npos);
}

TEST_F(HttpServerTest, AnswersManyAtATime) {
  std::atomic<int> right = 0;
  std::vector<std::thread> clients;
  for (int client = 0; client < 24; ++client)
    clients.emplace_back([&] {
      for (int i = 0; i < 10; ++i)
        if (post("/answers/predict", kAskedProduct).starts_with("HTTP/1.1 200")) ++right;
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 240);
}

TEST_F(HttpServerTest, RefusesStrangersAndGoesOn) {
  const RawConnection other(server_->port());
  other.send("GET /api/v1/version HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_TRUE(other.read().starts_with("HTTP/1.1 403"));
  const RawConnection none(server_->port());
  none.send("GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string refused = none.read();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 401"));
  EXPECT_NE(refused.find("WWW-Authenticate: Bearer"), std::string::npos);
  EXPECT_TRUE(call("GET /api/v1/version", "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(lives());
}

TEST_F(HttpServerTest, TakesNothingBehindARefusedRequest) {
  // The body of a page elsewhere must not be read as a request of its own.
  const std::string hidden =
      "GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-token-of-tests\r\n\r\n";
  const RawConnection connection(server_->port());
  connection.send("POST /api/v1/version HTTP/1.1\r\nHost: evil.example\r\nContent-Length: " +
                  std::to_string(hidden.size()) + "\r\n\r\n" + hidden);
  const std::string response = connection.read();
  EXPECT_TRUE(response.starts_with("HTTP/1.1 403"));
  EXPECT_EQ(response.find("HTTP/1.1 200"), std::string::npos);
}

TEST_F(HttpServerTest, RefusesWhatIsNoHttp) {
  for (const std::string text :
       {"BREW /x HTTP/1.1\r\nHost: localhost\r\n\r\n", "nonsense\r\n\r\n", "GET / HTTP/9\r\n\r\n"}) {
    const RawConnection connection(server_->port());
    connection.send(text);
    const std::string response = connection.read();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 4")) << text << response;
    EXPECT_TRUE(Json::parse(body_of(response)).contains("error")) << response;
  }
  EXPECT_TRUE(call("GET /%2e%2e/%2e%2e/etc/passwd").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(call("GET /../../etc/passwd").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(call("POST /api/v1/answers/predict").starts_with("HTTP/1.1 400"));  // no body at all
  EXPECT_TRUE(lives());
}

TEST_F(HttpServerTest, RefusesLongBodies) {
  EXPECT_TRUE(
      call("POST /api/v1/answers/predict", "", std::string(3'000'000, ' ')).starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(
      call("POST /api/v1/files?name=x", "", std::string((32U << 20) + 1, 'x')).starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(call("POST /api/v1/files?name=x", "", std::string(2'000'000, 'x')).starts_with("HTTP/1.1 201"));
  EXPECT_TRUE(lives());
}

TEST_F(HttpServerTest, CutsClientsThatSendNoEnd) {
  const RawConnection endless(server_->port());
  endless.send(
      "POST /api/v1/answers/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n{");
  const RawConnection silent(server_->port());
  const RawConnection half(server_->port());
  half.send("GET /api/v1/ver");
  EXPECT_TRUE(lives());
  endless.read();  // until the server closes it
  half.read();
  EXPECT_TRUE(lives());
}

TEST_F(HttpServerTest, StreamsEventsAndOutlivesAClientThatGoes) {
  const Json asked{
      {"model", "Llama-3.1-8B"}, {"gpu", "H100-SXM"}, {"requests", 2'000'000}, {"intervals", false}};
  const std::string id = Json::parse(body_of(post("/jobs/simulate", asked)))["job"];
  const std::string line =
      "GET /api/v1/jobs/" + id +
      "/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-token-of-tests\r\n\r\n";
  for (int i = 0; i < 10; ++i) {  // more than the server has threads
    const RawConnection connection(server_->port());
    connection.send(line);
    const std::string answer = connection.read_until("event: progress");
    EXPECT_NE(answer.find("text/event-stream"), std::string::npos);
    EXPECT_NE(answer.find("event: progress"), std::string::npos);
  }
  EXPECT_TRUE(lives());
  EXPECT_TRUE(call("DELETE /api/v1/jobs/" + id).starts_with("HTTP/1.1 202"));
  const RawConnection last(server_->port());
  last.send(line);
  EXPECT_NE(last.read().find("event: cancelled"), std::string::npos);
}

TEST_F(HttpServerTest, SaysThatAPortIsTaken) {
  try {
    open_http_server(WARPLOOM_HTTP_LIBRARY, {.port = server_->port()}, api_);
    FAIL() << "two servers at one port";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be taken"), std::string::npos);
  }
  EXPECT_THROW(open_http_server("/nonexistent.so", {}, api_), Unsupported);
}

const Json kLongRun = {{"model", "Llama-3.1-8B"}, {"gpu", "H100-SXM"},        {"requests", 400'000},
                       {"random_input_len", 500}, {"random_output_len", 200}, {"request_rate", 20},
                       {"intervals", false}};

std::string head_of_post(const std::string& path, std::size_t bytes) {
  return "POST /api/v1" + path +
         " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-token-of-tests\r\nContent-Length: " +
         std::to_string(bytes) + "\r\n\r\n";
}

TEST_F(HttpServerTest, RefusesHeadsBeyondALimitBeforeTheyAreKept) {
  const RawConnection connection(server_->port());
  connection.send("GET /api/v1/version HTTP/1.1\r\n");
  const std::string header = "X: " + std::string(8000, 'a') + "\r\n";
  for (int i = 0; i < 200; ++i) connection.send(header);  // no token, no end
  EXPECT_TRUE(connection.read().starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(lives());
  const std::string many(30, 'b');
  EXPECT_TRUE(call("GET /api/v1/version", "X: " + many + "\r\n").starts_with("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, EndsHeadsThatDrip) {
  const auto begin = std::chrono::steady_clock::now();
  const RawConnection connection(server_->port());
  std::thread drips([&] {
    for (int i = 0; i < 12; ++i) {
      connection.send(i == 0 ? "GET / HTTP/1.1\r\n" : "X");
      std::this_thread::sleep_for(300ms);
    }
  });
  const std::string answer = connection.read();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 6s);
  drips.join();
}

TEST_F(HttpServerTest, EndsAnswersWhoseClientsHaveLeft) {
  const std::string body = kLongRun.dump();
  for (int i = 0; i < 4; ++i) {
    const RawConnection leaves(server_->port());
    leaves.send(head_of_post("/answers/simulate", body.size()) + body);
    std::this_thread::sleep_for(200ms);
  }
  // As many long answers as run at a time: one more is taken once they ended.
  Json little = kLongRun;
  little["requests"] = 3;
  std::string answer;
  for (int i = 0; i < 60 && !answer.starts_with("HTTP/1.1 200"); ++i) {
    answer = post("/answers/simulate", little);
    std::this_thread::sleep_for(200ms);
  }
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
}

TEST_F(HttpServerTest, EndsAnswersWhenItIsToldTo) {
  std::string answer;
  std::thread asks([&] { answer = post("/answers/simulate", kLongRun); });
  std::this_thread::sleep_for(1s);
  const auto begin = std::chrono::steady_clock::now();
  api_.end_answers(10s);
  asks.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503")) << answer;
  EXPECT_NE(body_of(answer).find("\"ending\""), std::string::npos) << answer;
}

}  // namespace
}  // namespace warploom
