#include "warploom/web/serve_page.h"

#include <fmt/format.h>

#include <future>
#include <memory>
#include <thread>

#include "warploom/base/error.h"
#include "warploom/web/access.h"
#include "warploom/web/end_signals.h"
#include "warploom/web/http_server.h"
#include "warploom/web/random_token.h"

namespace warploom {
namespace {

// What jobs and answers get to end by themselves once the server was told to: orchestrators kill after 30 s.
constexpr std::chrono::seconds kJobPatience{5}, kAnswerPatience{5};

// While it lives, relative names mean nothing: the program stands in a folder that is removed, in which
// nothing can be found or made.
class Nowhere {
 public:
  // `parent`: where such a folder can be made.
  explicit Nowhere(const std::filesystem::path& parent) : before_(std::filesystem::current_path()) {
    const std::filesystem::path removed = parent / random_token();
    std::filesystem::create_directory(removed);
    std::filesystem::current_path(removed);
    std::filesystem::remove(removed);
  }
  ~Nowhere() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
  }
  Nowhere(const Nowhere&) = delete;
  Nowhere& operator=(const Nowhere&) = delete;

 private:
  std::filesystem::path before_;
};

// A folder stays the same one when the working folder changes.
std::string fixed_predictor(const std::string& predictor) {
  std::error_code ignored;
  return std::filesystem::is_directory(predictor, ignored) ? std::filesystem::absolute(predictor).string()
                                                           : predictor;
}

ServedAt place_of(const AccessRules& access, int port) {
  const bool v6 = access.address.find(':') != std::string::npos;
  const bool anywhere = access.address == "0.0.0.0" || access.address == "::";
  const std::string host = anywhere ? "localhost" : v6 ? "[" + access.address + "]" : access.address;
  return {
      .url = fmt::format("http://{}:{}/{}", host, port, access.token.empty() ? "" : "#token=" + access.token),
      .token = access.token,
      .port = port,
      .loopback = is_loopback(access.address)};
}

}  // namespace

bool serve_page(const ServeRequest& request, const std::function<void(const ServedAt&)>& started) {
  const EndSignals signals;
  auto session = std::make_unique<const Session>(fixed_predictor(request.predictor));
  WebApiSettings settings{
      .version = request.version,
      .commit = request.commit,
      .predictor_hash = request.predictor_hash,
      .access = {.address = request.address, .host_names = request.host_names, .token = request.token},
      .words = request.words};
  if (settings.access.token.empty() && !is_loopback(request.address)) settings.access.token = random_token();
  const AccessRules access = settings.access;
  auto api = std::make_unique<WebApi>(*session, std::move(settings));
  std::unique_ptr<HttpServer> server =
      open_http_server(request.http_library, {.address = request.address, .port = request.port}, *api);
  const Nowhere nowhere(api->uploads().folder());
  std::packaged_task<void()> running([&http = *server] { http.run(); });
  std::future<void> run_ended = running.get_future();
  std::thread answering(std::move(running));
  try {
    started(place_of(access, server->port()));
  } catch (...) {
    server->stop();
    answering.join();
    throw;
  }
  signals.wait(request.time_limit_s);
  bool ended = api->end_answers(kJobPatience);
  server->stop();
  ended = run_ended.wait_for(kAnswerPatience) == std::future_status::ready && ended;
  if (ended) {
    answering.join();
    return true;
  }
  api->forget_files();
  answering.detach();
  // What goes on uses all three; the process ends soon.
  (void)server.release();
  (void)api.release();
  (void)session.release();
  return false;
}

}  // namespace warploom
