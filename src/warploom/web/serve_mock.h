// `warploom mock`: simulated engines behind an engine's API, until it is told to end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "warploom/app/serving/serving_engines.h"
#include "warploom/web/mock_api.h"

namespace warploom {

struct ServeMockRequest {
  std::string address = "127.0.0.1";   // of loopback
  int port = 8000;                     // 0: a free one
  double speedup = 1;                  // simulated seconds in one of the clock
  double time_limit_s = 0;             // 0: until a signal comes
  std::filesystem::path http_library;  // as open_http_server takes it
  MockSettings settings;               // but for `access`
};

// Opens the engines by `open` behind a block of both signals, so that no thread of theirs gets one; calls
// `started` with the port once requests are answered; returns after SIGINT, SIGTERM or the time limit, when
// answers on their way have ended with an error. Throws InvalidInput on another address, and what `open`,
// PacedEngines and open_http_server throw.
void serve_mock(const ServeMockRequest& request, const std::function<ServingEngines()>& open,
                const std::function<void(int port)>& started);

}  // namespace warploom
