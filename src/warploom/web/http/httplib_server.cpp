// The HTTP server by cpp-httplib 0.11 to 0.18 (Debian 12, Debian 13, Ubuntu 24.04).
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "warploom/web/http/internal/client_stream.h"
#include "warploom/web/http/internal/kept_connections.h"
#include "warploom/web/http_server.h"

namespace warploom {
namespace {

using Clock = std::chrono::steady_clock;

// Connections that wait for a thread. Beyond it the server accepts no more for a while; below the 1,024 file
// descriptors that select() takes.
constexpr std::size_t kMostWaiting = 512;
constexpr int kBacklog = 512;  // of the kernel; the library's own 5 makes bursts wait for a second
// So much of a body that is too long is read and dropped before the connection is cut: a client that is
// still sending cannot read the answer.
constexpr std::size_t kMostDropped = std::size_t{64} << 20;
constexpr const char* kEveryPath = R"([\s\S]*)";

// What a thread answers.
struct Answering {
  Clock::time_point arrived;  // when the connection was accepted, or its next request came
  bool read_whole = false;    // whether the request was read to its end: what follows it is another
};
Answering& answering() {
  thread_local Answering current;
  return current;
}
constexpr std::size_t kMostKept = std::numeric_limits<std::int32_t>::max();  // told to clients, never counted

// A fixed number of threads and a bounded queue; whoever adds waits while it is full.
class BoundedQueue final : public httplib::TaskQueue {
 public:
  // The library's function returns nothing or, from 0.14 on, whether the task was taken.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));

  explicit BoundedQueue(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }

  Taken enqueue(std::function<void()> task) override {
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [this] { return tasks_.size() < kMostWaiting || ended_; });
      tasks_.emplace_back(Clock::now(), std::move(task));
    }
    work_.notify_one();
    return Taken(true);
  }

  void shutdown() override {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    work_.notify_all();
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        work_.wait(lock, [this] { return !tasks_.empty() || ended_; });
        if (tasks_.empty()) return;
        answering().arrived = tasks_.front().first;
        task = std::move(tasks_.front().second);
        tasks_.pop_front();
      }
      room_.notify_one();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_, room_;
  std::deque<std::pair<Clock::time_point, std::function<void()>>> tasks_;
  std::vector<std::thread> threads_;
  bool ended_ = false;
};

HttpRequest head_of(const httplib::Request& asked) {
  HttpRequest request{.method = asked.method, .path = asked.path, .arrived = answering().arrived};
  for (const auto& [name, value] : asked.params) request.query.emplace(name, value);
  request.host = asked.get_header_value("Host");
  request.origin = asked.get_header_value("Origin");
  request.authorization = asked.get_header_value("Authorization");
  request.fetch_site = asked.get_header_value("Sec-Fetch-Site");
  request.fetch_mode = asked.get_header_value("Sec-Fetch-Mode");
  request.is_gone = [socket = asked.remote_port] { return client_is_gone(socket); };
  request.accepts_gzip = asked.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
  return request;
}

bool has_body(const httplib::Request& asked) {
  return asked.has_header("Content-Length") || asked.has_header("Transfer-Encoding");
}

// `in_chunks`: a stream says where it ends, so that the connection need not.
void fill(httplib::Response& response, HttpResponse&& answer, bool in_chunks) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  if (answer.stream) {
    auto parts = [stream = std::move(answer.stream)](std::size_t, httplib::DataSink& sink) {
      const bool more = stream([&](std::string_view part) { return sink.write(part.data(), part.size()); });
      if (!more) sink.done();
      return true;
    };
    if (in_chunks)
      response.set_chunked_content_provider(answer.content_type, std::move(parts));
    else
      response.set_content_provider(answer.content_type, std::move(parts));
  } else if (!answer.body.empty() && (answer.status < 400 || response.has_header("Content-Encoding"))) {
    // By a provider: the library compresses plain bodies itself, by brotli at its greatest effort where the
    // client takes that, which costs more than the answer (0.3 s for the schemas of all requests).
    const auto body = std::make_shared<const std::string>(std::move(answer.body));
    response.set_content_provider(body->size(), answer.content_type,
                                  [body](std::size_t from, std::size_t length, httplib::DataSink& sink) {
                                    return sink.write(body->data() + from, length);
                                  });
  } else {
    // A refusal is short, and the handler of the library's own refusals looks whether there is a body.
    response.set_content(answer.body, answer.content_type);
  }
}

// The library's server with our own stream between it and each connection.
class LimitedServer final : public httplib::Server {
 public:
  explicit LimitedServer(const HttpServerSettings& settings)
      : settings_(settings), kept_(settings.keep_alive, settings.threads) {}

  void end_waiting() { kept_.end(); }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const KeptConnections::Held held(kept_);
    bool goes_on = answered(int(socket));
    while (goes_on && kept_.next_comes(int(socket))) {
      answering().arrived = Clock::now();
      goes_on = answered(int(socket));
    }
    ::shutdown(int(socket), SHUT_RDWR);
    ::close(int(socket));
    return true;
  }

  // Answers one request. Whether another may follow it.
  bool answered(int socket) {
    ClientStream stream(socket, settings_);
    switch (stream.read_head()) {
      case ClientStream::Head::Whole:
        return processed(stream) && !stream.has_rest();
      case ClientStream::Head::TooLarge:
        stream.refuse("431 Request Header Fields Too Large", "headers: longer than are taken here");
        return false;
      case ClientStream::Head::TooSlow:
        stream.refuse("408 Request Timeout", "headers: not all of them came in time");
        return false;
      case ClientStream::Head::Gone:
        return false;
    }
    return false;
  }

  // Since 0.16 the library is told the addresses beside the stream.
  template <class Stream>
  bool processed(Stream& stream) {
    const bool last = !kept_.has_room();
    bool closed = last, done = false;
    answering().read_whole = false;
    const auto as_it_is = [](httplib::Request&) {};
    if constexpr (requires { process_request(stream, last, closed, as_it_is); }) {
      done = process_request(stream, last, closed, as_it_is);
    } else {
      const int number = int(stream.socket());
      done = process_request(stream, std::string(), number, std::string(), number, last, closed, as_it_is);
    }
    return done && !closed && answering().read_whole;
  }

  const HttpServerSettings& settings_;
  KeptConnections kept_;
};

class HttplibServer final : public HttpServer {
 public:
  HttplibServer(const HttpServerSettings& settings, HttpHandler& handler)
      : settings_(settings), handler_(handler), server_(settings_) {
    server_.new_task_queue = [threads = settings.threads] {
      return std::make_unique<BoundedQueue>(threads).release();
    };
    server_.set_keep_alive_max_count(settings_.keep_alive.count() > 0 ? kMostKept : 1);
    server_.set_keep_alive_timeout(settings_.keep_alive.count());
    server_.set_payload_max_length(std::numeric_limits<std::size_t>::max());  // read_body() has the limits
    server_.set_tcp_nodelay(true);
    server_.set_socket_options([this](auto socket) {
      listening_ = int(socket);
      const int on = 1;
      ::setsockopt(int(socket), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    server_.set_exception_handler([](const httplib::Request&, httplib::Response& response, auto) {
      response.status = 500;
      response.set_content(
          R"({"error": {"kind": "internal", "message": "the server failed on this request"}})",
          "application/json");
    });
    answer_every_method();
  }

  bool bind() {
    port_ = settings_.port;
    if (port_ == 0) port_ = server_.bind_to_any_port(settings_.address);
    if (port_ <= 0 || (settings_.port != 0 && !server_.bind_to_port(settings_.address, port_))) return false;
    ::listen(listening_, kBacklog);
    return true;
  }

  int port() const override { return port_; }

  void run() override {
    {
      const std::scoped_lock lock(mutex_);
      if (stopped_) return;
      begun_ = true;
    }
    server_.listen_after_bind();
  }

  void stop() override {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
      if (!begun_) return;
    }
    server_.end_waiting();
    while (!server_.is_running()) std::this_thread::yield();
    server_.stop();
  }

 private:
  void answer_every_method() {
    const auto plain = [this](const httplib::Request& asked, httplib::Response& response) {
      answering().read_whole = !has_body(asked);
      fill(response, handler_.handle(head_of(asked)), in_chunks(asked));
    };
    const auto with_body = [this](const httplib::Request& asked, httplib::Response& response,
                                  const httplib::ContentReader& reader) {
      HttpRequest request = head_of(asked);
      read_body(asked, request, reader);
      answering().read_whole = request.body_complete;
      fill(response, handler_.handle(request), in_chunks(asked));
    };
    server_.Get(kEveryPath, plain);
    server_.Options(kEveryPath, plain);
    server_.Post(kEveryPath, httplib::Server::HandlerWithContentReader(with_body));
    server_.Put(kEveryPath, httplib::Server::HandlerWithContentReader(with_body));
    server_.Patch(kEveryPath, httplib::Server::HandlerWithContentReader(with_body));
    server_.Delete(kEveryPath, httplib::Server::HandlerWithContentReader(with_body));
    // What the library itself refuses: a broken request line, an unknown method.
    server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty() || response.has_header("Content-Encoding")) return;
      response.set_content(
          R"({"error": {"kind": "invalid_input", "message": "this is no HTTP request that is )"
          R"(understood here, expected GET, POST or DELETE of a path in UTF-8"}})",
          "application/json");
    });
  }

  bool in_chunks(const httplib::Request& asked) const {
    return settings_.keep_alive.count() > 0 && asked.version == "HTTP/1.1";
  }

  void read_body(const httplib::Request& asked, HttpRequest& request, const httplib::ContentReader& reader) {
    // Without either there is no body; the library would wait for the end of the connection.
    if (!has_body(asked)) return;
    if (asked.is_multipart_form_data()) {  // nothing here takes forms, and the library reads them otherwise
      request.body_complete = false;
      return;
    }
    const std::size_t limit = handler_.body_limit(request);
    const Clock::time_point end = Clock::now() + settings_.body_time_limit;
    std::size_t dropped = 0;
    const bool read = reader([&](const char* data, std::size_t size) {
      const std::size_t kept = std::min(size, limit - request.body.size());
      request.body.append(data, kept);
      dropped += size - kept;
      return dropped <= kMostDropped && Clock::now() < end;
    });
    request.body_complete = read && dropped == 0;
  }

  HttpServerSettings settings_;
  HttpHandler& handler_;
  LimitedServer server_;
  int listening_ = -1, port_ = 0;
  std::mutex mutex_;
  bool begun_ = false, stopped_ = false;
};

}  // namespace
}  // namespace warploom

extern "C" __attribute__((visibility("default"))) warploom::HttpServer* warploom_make_http_server(
    const warploom::HttpServerSettings& settings, warploom::HttpHandler& handler) {
  auto server = std::make_unique<warploom::HttplibServer>(settings, handler);
  return server->bind() ? server.release() : nullptr;
}
