#include "warploom/base/partial_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

#include "warploom/base/open_descriptor.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPartial = ".partial-", kDigits = "0123456789abcdef";
constexpr std::size_t kCountOfDigits = 16;

bool is_partial(std::string_view name) {
  return name.starts_with(kPartial) && name.size() == kPartial.size() + kCountOfDigits &&
         name.find_first_not_of(kDigits, kPartial.size()) == std::string_view::npos;
}

bool is_nobodys(const fs::path& path) {
  const OpenDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found {};
  return file.get() >= 0 && ::fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode) &&
         ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

fs::path new_partial(const fs::path& folder) {
  std::random_device random;
  return folder / fmt::format("{}{:08x}{:08x}", kPartial, random(), random());
}

bool lock_partial(int file) {
  while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat made {};
  return ::fstat(file, &made) == 0 && made.st_nlink > 0;
}

void remove_partial_files(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (is_partial(path.filename().native()) && is_nobodys(path)) ::unlink(path.c_str());
  }
}

}  // namespace warploom
