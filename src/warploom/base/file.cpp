#include "warploom/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "warploom/base/error.h"

namespace warploom {
namespace fs = std::filesystem;

namespace {

void check_regular(const fs::path& path, const struct stat& status, std::string_view what) {
  if (S_ISREG(status.st_mode)) return;
  throw IoError(
      S_ISDIR(status.st_mode)
          ? fmt::format("{}: is a folder, expected a {}", path.string(), what)
          : fmt::format("{}: is a device, pipe or socket, expected a regular {}", path.string(), what));
}

}  // namespace

int open_regular_file(const fs::path& path, std::string_view what) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw IoError(errno == ENOENT
                      ? fmt::format("{}: no such file", path.string())
                      : fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  check_regular(path, status, what);
  // Another file may have taken its place by now: nothing here waits for it.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0 || ::fstat(file, &status) != 0) {
    const int error = errno;
    if (file >= 0) ::close(file);
    throw IoError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(error)));
  }
  try {
    check_regular(path, status, what);
  } catch (...) {
    ::close(file);
    throw;
  }
  return file;
}

std::string read_file(const fs::path& path, std::uint64_t most_bytes) {
  const int descriptor = open_regular_file(path);
  const gzFile file = gzdopen(descriptor, "rb");
  if (file == nullptr) {
    ::close(descriptor);
    throw IoError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  }
  std::string contents;
  std::string chunk(1 << 18, '\0');
  for (;;) {
    const int got = gzread(file, chunk.data(), static_cast<unsigned>(chunk.size()));
    if (got < 0) {
      gzclose(file);
      throw IoError(fmt::format("{}: cannot be read (damaged gzip data?)", path.string()));
    }
    if (got == 0) break;
    if (contents.size() + static_cast<std::size_t>(got) > most_bytes) {
      gzclose(file);
      throw InvalidInput(fmt::format("{}: holds more than {} bytes (after gzip is undone), expected less",
                                     path.string(), most_bytes));
    }
    contents.append(chunk, 0, static_cast<std::size_t>(got));
  }
  if (gzclose(file) != Z_OK) throw IoError(fmt::format("{}: gzip data ends too early", path.string()));
  return contents;
}

}  // namespace warploom
