#include "warploom/base/file.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "warploom/base/error.h"

namespace warploom {
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::error_code status_error;
  if (!fs::exists(path, status_error)) throw IoError(fmt::format("{}: no such file", path.string()));
  if (fs::is_directory(path, status_error)) {
    throw IoError(fmt::format("{}: is a folder, expected a file", path.string()));
  }
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr)
    throw IoError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  std::string contents;
  std::string chunk(1 << 18, '\0');
  for (;;) {
    const int got = gzread(file, chunk.data(), static_cast<unsigned>(chunk.size()));
    if (got < 0) {
      gzclose(file);
      throw IoError(fmt::format("{}: cannot be read (damaged gzip data?)", path.string()));
    }
    if (got == 0) break;
    contents.append(chunk, 0, static_cast<std::size_t>(got));
  }
  if (gzclose(file) != Z_OK) throw IoError(fmt::format("{}: gzip data ends too early", path.string()));
  return contents;
}

void write_file_atomically(const fs::path& path, std::string_view contents) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  const fs::path temporary = path.string() + fmt::format(".partial-{}", ::getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) {
    throw IoError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
  const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size() &&
                       std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
  const int write_error = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) {
    fs::remove(temporary, error);
    throw IoError(fmt::format("{}: writing failed: {}", path.string(), std::strerror(write_error)));
  }
  fs::rename(temporary, path, error);
  if (error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw IoError(fmt::format("{}: cannot be replaced: {}", path.string(), error.message()));
  }
}

}  // namespace warploom
