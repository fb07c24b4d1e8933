#include "warploom/web/upload_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "warploom/base/error.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "warploom-uploads-";

int opened_folder(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void remove_those_of_nobody(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().native().starts_with(kPrefix)) continue;
    const OpenDescriptor folder(opened_folder(entry->path()));
    struct stat found {};
    std::error_code ignored;
    if (folder.get() >= 0 && ::fstat(folder.get(), &found) == 0 && found.st_uid == ::geteuid() &&
        ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0)
      fs::remove_all(entry->path(), ignored);
  }
}

// False when another server removed it before it was locked.
bool lock_folder(int folder) {
  while (::flock(folder, LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat made {};
  return ::fstat(folder, &made) == 0 && made.st_nlink > 0;
}

}  // namespace

UploadFolder::UploadFolder() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (!error) remove_those_of_nobody(parent);
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && !error; ++i) {
    std::string pattern = (parent / (std::string(kPrefix) + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) break;
    lock_.reset(opened_folder(pattern));
    if (lock_.get() < 0 || !lock_folder(lock_.get())) continue;
    path_ = pattern;
    return;
  }
  throw IoError(fmt::format("{}: no temporary folder can be made for uploads", parent.string()));
}

UploadFolder::~UploadFolder() { remove(); }

void UploadFolder::remove() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace warploom
