// Connections that carry several requests, as those of an engine's server do.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "warploom/web/http_server.h"

namespace warploom {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Says the path and the length of the body back; "/stream" in two parts.
class Echo final : public HttpHandler {
 public:
  std::size_t body_limit(const HttpRequest&) const override { return 100; }
  HttpResponse handle(const HttpRequest& request) override {
    HttpResponse answer{.content_type = "text/plain"};
    if (request.path == "/stream") {
      answer.stream = [part = 0](const SendPart& send) mutable {
        return send(part++ == 0 ? "first " : "second") && part < 2;
      };
    } else {
      answer.body = request.path + " " + std::to_string(request.body.size());
    }
    return answer;
  }
};

class KeptConnection : public testing::Test {
 protected:
  KeptConnection()
      : server_(open_http_server(WARPLOOM_HTTP_LIBRARY, {.threads = 4, .idle_limit = 1s, .keep_alive = 1s},
                                 echo_)),
        thread_([this] { server_->run(); }) {}
  ~KeptConnection() override {
    const auto begin = Clock::now();
    server_->stop();
    thread_.join();
    EXPECT_LT(Clock::now() - begin, 900ms);  // though connections still wait
    for (const int socket : sockets_) ::close(socket);
  }

  int connect() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(std::uint16_t(server_->port()));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    sockets_.push_back(socket);
    return socket;
  }

  // Sends a request; what comes until `last` or the end of the connection.
  static std::string ask(int socket, std::string_view line, std::string_view last,
                         std::string_view headers = {}, std::string_view body = {}) {
    std::string text = std::string(line) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers);
    if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    text += "\r\n" + std::string(body);
    EXPECT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
    return read_until(socket, last);
  }
  static std::string read_until(int socket, std::string_view last) {
    std::string text;
    std::array<char, 4096> part{};
    while (last.empty() || text.find(last) == std::string::npos) {
      const ssize_t got = ::recv(socket, part.data(), part.size(), 0);
      if (got <= 0) break;
      text.append(part.data(), std::size_t(got));
    }
    return text;
  }
  static bool is_closed(int socket) {
    char next = 0;
    return ::recv(socket, &next, 1, 0) == 0;
  }

  Echo echo_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
  std::vector<int> sockets_;
};

TEST_F(KeptConnection, CarriesOneRequestAfterTheOther) {
  const int socket = connect();
  for (const char* path : {"/one", "/two", "/three"}) {
    const std::string answer = ask(socket, std::string("POST ") + path, " 5", {}, "12345");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
    EXPECT_EQ(answer.find("Connection: close"), std::string::npos) << answer;
    EXPECT_NE(answer.find(std::string(path) + " 5"), std::string::npos) << answer;
  }
}

TEST_F(KeptConnection, SaysWhereAStreamEnds) {
  const int socket = connect();
  for (int i = 0; i < 2; ++i) {
    const std::string answer = ask(socket, "GET /stream", "0\r\n\r\n");
    EXPECT_NE(answer.find("Transfer-Encoding: chunked"), std::string::npos) << answer;
    EXPECT_NE(answer.find("6\r\nfirst \r\n6\r\nsecond\r\n0\r\n\r\n"), std::string::npos) << answer;
  }
}

TEST_F(KeptConnection, EndsWhenAskedToOrAfterAWhile) {
  const int asked = connect();
  EXPECT_NE(ask(asked, "GET /one", {}, "Connection: close\r\n").find("/one 0"), std::string::npos);
  const int idle = connect();
  ask(idle, "GET /one", "/one 0");
  const auto begin = Clock::now();
  EXPECT_TRUE(is_closed(idle));
  EXPECT_GT(Clock::now() - begin, 800ms);
  EXPECT_LT(Clock::now() - begin, 5s);
}

// What was not read of a request could be taken for the next one.
TEST_F(KeptConnection, EndsBehindABodyThatWasNotReadWhole) {
  const int longer = connect();
  EXPECT_NE(ask(longer, "POST /one", {}, {}, std::string(200, 'x')).find("/one 100"), std::string::npos);
  const int unread = connect();
  const std::string answer = ask(unread, "GET /one", {}, {}, "GET /two HTTP/1.1\r\n\r\n");
  EXPECT_NE(answer.find("/one 0"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("/two"), std::string::npos) << answer;
}

TEST_F(KeptConnection, LeavesHalfOfTheThreadsToOthers) {
  std::string answer;
  for (int i = 0; i < 3; ++i) answer = ask(connect(), "GET /one", "/one 0");
  EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
  EXPECT_TRUE(is_closed(sockets_.back()));
}

}  // namespace
}  // namespace warploom
