#include "warploom/web/page_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "warploom/base/embedded_file.h"
#include "warploom/base/error.h"
#include "warploom/web/gzip.h"
#include "warploom_embedded/page.h"

namespace warploom {
namespace {

constexpr std::string_view kCompressed = ".gz";
// With a build that has no page, the API still answers.
constexpr std::string_view kNoPage =
    "<!doctype html><meta charset=\"utf-8\"><title>Warploom</title><p>This build has no page (web/dist was "
    "missing). The API is at <a href=\"api/v1/openapi.json\">/api/v1</a>.";

std::string_view media_type(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTypes{
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".svg", "image/svg+xml"},
       {".png", "image/png"},
       {".ico", "image/x-icon"},
       {".json", "application/json"},
       {".woff2", "font/woff2"},
       {".txt", "text/plain; charset=utf-8"}}};
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

// gzip's bytes.
std::optional<std::string_view> compressed_page_file(std::string_view path) {
  for (const EmbeddedFile& file : embedded::page())
    if (file.name.size() == path.size() + kCompressed.size() && file.name.starts_with(path))
      return file.contents;
  return {};
}

}  // namespace

std::optional<std::string> page_text(std::string_view path) {
  const auto bytes = compressed_page_file(path);
  if (!bytes) return {};
  return unzipped(*bytes);
}

HttpResponse page_file(const HttpRequest& request) {
  std::string_view path = request.path;
  path.remove_prefix(std::min<std::size_t>(1, path.size()));
  if (path.empty()) path = "index.html";
  const auto bytes = compressed_page_file(path);
  if (!bytes && path == "index.html")
    return {.content_type = std::string(media_type(path)), .body = std::string(kNoPage)};
  if (!bytes) throw NotFound("path: no such file, expected / or what the page there names");
  // Names of assets change with their contents.
  HttpResponse response{
      .content_type = std::string(media_type(path)),
      .headers = {{"Cache-Control",
                   path.starts_with("assets/") ? "public, max-age=31536000, immutable" : "no-cache"}}};
  if (request.accepts_gzip) {
    response.body = *bytes;
    response.headers.emplace_back("Content-Encoding", "gzip");
  } else {
    response.body = unzipped(*bytes);
  }
  response.headers.emplace_back("Vary", "Accept-Encoding");
  return response;
}

}  // namespace warploom
