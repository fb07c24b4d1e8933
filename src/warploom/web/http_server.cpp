#include "warploom/web/http_server.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <system_error>

#include "warploom/base/error.h"

namespace warploom {

std::filesystem::path http_library_path() {
  constexpr const char* kName = "libwarploom-http.so";
  std::error_code unknown;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  const auto installed = folder / ".." / "lib" / "warploom" / kName;  // of bin/warploom
  return std::filesystem::exists(installed, unknown) ? installed : folder / kName;
}

std::unique_ptr<HttpServer> open_http_server(const std::filesystem::path& library,
                                             const HttpServerSettings& settings, HttpHandler& handler) {
  // Never closed: threads of it may end late.
  void* loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr)
    throw Unsupported(
        fmt::format("web: the HTTP server cannot be loaded ({}); it is built where cpp-httplib is installed "
                    "(Debian: libcpp-httplib-dev)",
                    ::dlerror()));
  const auto make = reinterpret_cast<MakeHttpServer>(::dlsym(loaded, kMakeHttpServer));
  if (make == nullptr)
    throw Unsupported(fmt::format("web: {} is of another version of the program", library.string()));
  std::unique_ptr<HttpServer> server(make(settings, handler));
  if (server == nullptr)
    throw IoError(
        fmt::format("port: {} of {} cannot be taken, expected a free port of an address of this "
                    "machine, or 0 for any free one",
                    settings.port, settings.address));
  return server;
}

}  // namespace warploom
