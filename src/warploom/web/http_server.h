// A server of HTTP/1.1. The library behind it lies in a shared library of its own (http/), loaded when it is
// asked for: it brings OpenSSL along, and its 3 ms would be a part of every start of the program.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "warploom/web/http_message.h"

namespace warploom {

struct HttpServerSettings {
  std::string address = "127.0.0.1";
  int port = 0;              // 0: a free one
  std::size_t threads = 32;  // that answer; a stream keeps one for as long as it lasts
  // Between two bytes of a client, for a whole head and for a whole body.
  std::chrono::seconds idle_limit{10}, head_time_limit{15}, body_time_limit{60};
  // Request line and headers together; beyond it 431. nginx takes as much (large_client_header_buffers 4 8k).
  std::size_t head_bytes = 32768;
  // So long a connection waits for its next request, and keeps a thread meanwhile; 0: one request each. Where
  // half of the threads have a connection, answers end theirs.
  std::chrono::seconds keep_alive{0};
};

class HttpServer {
 public:
  HttpServer() = default;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  virtual ~HttpServer() = default;
  virtual int port() const = 0;
  // Answers until stop() is called from another thread.
  virtual void run() = 0;
  // Ends run(), now or as soon as it is called; streams end within a second.
  virtual void stop() = 0;
};

// The handler must outlive the server. Throws IoError "port: ..." on an address or port that cannot be taken,
// Unsupported where `library` cannot be loaded.
std::unique_ptr<HttpServer> open_http_server(const std::filesystem::path& library,
                                             const HttpServerSettings& settings, HttpHandler& handler);

// That beside the program.
std::filesystem::path http_library_path();

// What the library has, by this name and without C++ in it: null where the port cannot be taken.
inline constexpr const char* kMakeHttpServer = "warploom_make_http_server";
using MakeHttpServer = HttpServer* (*)(const HttpServerSettings& settings, HttpHandler& handler);

}  // namespace warploom
