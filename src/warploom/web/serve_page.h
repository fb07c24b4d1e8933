// `warploom web`: answers until it is told to end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "warploom/web/command_words.h"
#include "warploom/web/web_api.h"

namespace warploom {

struct ServeRequest {
  std::string address = "127.0.0.1";
  int port = 8765;    // 0: a free one
  std::string token;  // empty: none on a loopback address, one made up on any other
  std::vector<std::string> host_names;
  std::string predictor;                        // as Session takes it
  double time_limit_s = 0;                      // 0: until a signal comes
  std::string version, commit, predictor_hash;  // as /version tells them
  std::filesystem::path http_library;           // as open_http_server takes it
  CommandWords words;
};

struct ServedAt {
  std::string url;    // with the token behind '#' where one is needed
  std::string token;  // empty: none is asked for
  int port = 0;
  bool loopback = true;
};

// Calls `started` once requests are answered; returns after SIGINT, SIGTERM or the time limit. Files of
// clients are gone then. Blocks both signals in this thread, and works in the folder of the clients' files
// meanwhile, so that no name in a request reaches a file of the caller's folder. Throws what Session and
// open_http_server throw. False when a job did not end in time, so that the process should end without it.
bool serve_page(const ServeRequest& request, const std::function<void(const ServedAt&)>& started);

}  // namespace warploom
