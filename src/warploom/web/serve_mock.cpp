#include "warploom/web/serve_mock.h"

#include <fmt/format.h>

#include <thread>

#include "warploom/base/error.h"
#include "warploom/web/end_signals.h"
#include "warploom/web/http_server.h"

namespace warploom {
namespace {

// Each answer on its way holds one. With the connections that wait for one (httplib_server.cpp) they stay
// below the 1,024 descriptors of a process.
constexpr std::size_t kThreads = 384;
// vLLM's own (VLLM_HTTP_TIMEOUT_KEEP_ALIVE, vllm/envs.py): a client that had to connect for each request
// would measure that too.
constexpr std::chrono::seconds kKeepAlive{5};

}  // namespace

void serve_mock(const ServeMockRequest& request, const std::function<ServingEngines()>& open,
                const std::function<void(int port)>& started) {
  if (!is_loopback(request.address))
    throw InvalidInput(
        fmt::format("--address: {} is no loopback address, expected one such as 127.0.0.1: clients need no "
                    "token here",
                    request.address));
  const EndSignals signals;
  PacedEngines engines(open(), request.speedup);
  MockSettings settings = request.settings;
  settings.access = {.address = request.address};
  MockApi api(engines, std::move(settings));
  const std::unique_ptr<HttpServer> server = open_http_server(
      request.http_library,
      {.address = request.address, .port = request.port, .threads = kThreads, .keep_alive = kKeepAlive}, api);
  std::thread answering([&http = *server] { http.run(); });
  const auto end = [&] {
    engines.stop();
    server->stop();
    answering.join();
  };
  try {
    started(server->port());
  } catch (...) {
    end();
    throw;
  }
  signals.wait(request.time_limit_s);
  end();
}

}  // namespace warploom
