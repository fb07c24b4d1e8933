// A client's connection as the library reads it. The head is read here first, within limits of bytes and
// time: the library would keep whatever a client sends before anybody looks at its token.
#pragma once

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

#include "warploom/web/http_server.h"

namespace warploom {

// Whether the client has closed its end, or the connection is lost.
inline bool client_is_gone(int socket) {
  char next = 0;
  const ssize_t got = ::recv(socket, &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

class ClientStream final : public httplib::Stream {
 public:
  enum class Head { Whole, TooLarge, TooSlow, Gone };

  ClientStream(int socket, const HttpServerSettings& settings) : socket_(socket), settings_(settings) {}

  Head read_head() {
    const auto end = Clock::now() + settings_.head_time_limit;
    constexpr std::string_view kEnd = "\r\n\r\n";
    std::string part(kPart, '\0');
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) return Head::TooSlow;
      if (!is_ready(POLLIN, std::min<std::chrono::milliseconds>(left, settings_.idle_limit)))
        return Head::TooSlow;
      const ssize_t got = ::recv(socket_, part.data(), part.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Head::Gone;
      const std::size_t looked = read_.size() - std::min(read_.size(), kEnd.size());
      read_.append(part, 0, static_cast<std::size_t>(got));
      const std::size_t found = read_.find(kEnd, looked);
      if (std::min(found, read_.size()) > settings_.head_bytes) return Head::TooLarge;
      if (found != std::string::npos) return Head::Whole;
    }
  }

  // Says why nothing else will be said, and reads on a little: a client that is still sending cannot read.
  void refuse(std::string_view status, std::string_view message) {
    const std::string body =
        R"({"error": {"kind": "invalid_input", "message": ")" + std::string(message) + "\"}}";
    const std::string answer = "HTTP/1.1 " + std::string(status) +
                               "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
                               std::to_string(body.size()) + "\r\n\r\n" + body;
    write(answer.data(), answer.size());
    ::shutdown(socket_, SHUT_WR);
    std::string part(kPart, '\0');
    const auto end = Clock::now() + kFarewell;
    while (Clock::now() < end && is_ready(POLLIN, kFarewell) &&
           ::recv(socket_, part.data(), part.size(), 0) > 0) {
    }
  }

  bool is_readable() const override { return has_rest() || is_ready(POLLIN, settings_.idle_limit); }
  bool is_writable() const override { return is_ready(POLLOUT, settings_.idle_limit); }

  ssize_t read(char* into, std::size_t size) override {
    if (has_rest()) {
      const std::size_t part = std::min(size, read_.size() - given_);
      std::memcpy(into, read_.data() + given_, part);
      given_ += part;
      return static_cast<ssize_t>(part);
    }
    if (!is_readable()) return -1;
    ssize_t got = 0;
    do got = ::recv(socket_, into, size, 0);
    while (got < 0 && errno == EINTR);
    return got;
  }

  ssize_t write(const char* data, std::size_t size) override {
    if (!is_writable()) return -1;
    ssize_t sent = 0;
    do sent = ::send(socket_, data, size, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
  }

  // Whether more came than was read of it.
  bool has_rest() const { return given_ < read_.size(); }

  // Addresses serve nothing here; the connection's number stands in place of the port.
  void get_remote_ip_and_port(std::string&, int& port) const override { port = socket_; }
  void get_local_ip_and_port(std::string&, int& port) const override { port = socket_; }
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kPart = 16384;
  static constexpr std::chrono::milliseconds kFarewell{500};

  bool is_ready(short what, std::chrono::milliseconds patience) const {
    pollfd one{.fd = socket_, .events = what, .revents = 0};
    int ready = 0;
    do ready = ::poll(&one, 1, static_cast<int>(patience.count()));
    while (ready < 0 && errno == EINTR);
    return ready > 0;
  }

  int socket_;
  const HttpServerSettings& settings_;
  std::string read_;       // the head and what came with it
  std::size_t given_ = 0;  // of read_
};

}  // namespace warploom
