// One HTTP request and its response, whatever library carries them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warploom {

struct HttpRequest {
  std::string method;                        // "GET"
  std::string path;                          // decoded, without the query
  std::map<std::string, std::string> query;  // decoded; of equal names the first
  std::string host, origin, authorization;   // header fields; empty where absent
  bool accepts_gzip = false;
  std::string body;
  bool body_complete = true;  // false: longer than body_limit(), or not all of it came in time
  std::chrono::steady_clock::time_point arrived{};  // when its connection was accepted, or it came on one
  std::function<bool()> is_gone;                    // whether the client has left; empty: unknown
  std::string fetch_site, fetch_mode;  // header fields Sec-Fetch-Site and -Mode, which browsers alone send
};

// Sends a part of a long response; false when the client is gone.
using SendPart = std::function<bool(std::string_view part)>;

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // In place of `body`: called again and again until it returns false; each call sends what is new, and waits
  // for it not longer than a second.
  std::function<bool(const SendPart& send)> stream;
};

// What a server asks. Both are called from several threads.
class HttpHandler {
 public:
  HttpHandler() = default;
  HttpHandler(const HttpHandler&) = delete;
  HttpHandler& operator=(const HttpHandler&) = delete;
  virtual ~HttpHandler() = default;
  // So many bytes of the body are kept; the rest is read and dropped. `head` has no body yet.
  virtual std::size_t body_limit(const HttpRequest& head) const = 0;
  // Throws nothing.
  virtual HttpResponse handle(const HttpRequest& request) = 0;
};

}  // namespace warploom
