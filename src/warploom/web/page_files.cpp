#include "warploom/web/page_files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "warploom/base/embedded_file.h"
#include "warploom/base/error.h"
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

std::string unzipped(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16;  // zlib's number for gzip
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  // zlib does not write through its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  std::string text;
  std::array<char, 1 << 16> part{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = uInt(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  WARPLOOM_ASSERT(status == Z_STREAM_END);  // written by the build
  return text;
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
