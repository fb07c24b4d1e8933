// Writing of whole files: base/file.h.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/open_descriptor.h"
#include "warploom/base/partial_files.h"
#include "warploom/base/write_failed.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

constexpr int kMostLinks = 40;  // as the kernel follows
constexpr int kTries = 100;     // of names that others have taken, or lost
constexpr mode_t kEverybody = 0666, kPermissions = 07777, kPlainPermissions = 0777;

[[noreturn]] void fail(const fs::path& path, std::string_view what, int error) {
  throw IoError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

// The number of the descriptor of this process that a path such as /dev/fd/1 or /proc/self/fd/1 names.
std::optional<int> descriptor_of(const fs::path& path) {
  std::error_code none;
  const fs::path folder = fs::canonical(path.parent_path(), none);
  if (none || folder != fmt::format("/proc/{}/fd", ::getpid())) return {};
  const std::string name = path.filename();
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return {};
  return number;
}

[[noreturn]] void fail_writing(const fs::path& path, int error) {
  throw WriteFailed(fmt::format("{}: writing failed: {}", path.string(), std::strerror(error)));
}

struct Target {
  fs::path path;                  // behind all links
  std::optional<int> descriptor;  // of this process, in place of the path
};

Target behind_links(const fs::path& path) {
  Target target{.path = path, .descriptor = {}};
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    target.descriptor = descriptor_of(target.path);
    if (target.descriptor || !fs::is_symlink(target.path, error)) return target;
    const fs::path next = fs::read_symlink(target.path, error);
    if (error) fail(path, "a link that cannot be read", error.value());
    target.path = target.path.parent_path() / next;
  }
  fail(path, "cannot be written", ELOOP);
}

void write_all(int file, std::string_view contents, const fs::path& path) {
  while (!contents.empty()) {
    const ssize_t written = ::write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(path, errno);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A device, a pipe or a descriptor.
void write_through(const Target& target, std::string_view contents, const fs::path& path) {
  const OpenDescriptor file(target.descriptor ? ::fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 0)
                                              : ::open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) fail(path, "cannot be written", errno);
  write_all(file.get(), contents, path);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A new file that will be renamed over `path`: without a name where the file system can, so that a kill
// leaves nothing. Names are taken by O_EXCL, which opens no link of others. Locked as long as it is open.
class NewFile {
 public:
  explicit NewFile(const fs::path& path) : path_(path) {
    remove_partial_files(folder_of(path));
    file_.reset(::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kEverybody));
    if (file_.get() >= 0) (void)lock_partial(file_.get());
    for (int i = 0; file_.get() < 0 && i < kTries; ++i) {
      const fs::path name = new_partial(folder_of(path));
      file_.reset(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kEverybody));
      if (file_.get() >= 0 && lock_partial(file_.get())) name_ = name;
      if (file_.get() >= 0 && name_.empty())
        file_.reset(-1);  // removed before it was locked
      else if (file_.get() < 0 && errno != EEXIST)
        fail(path, "cannot be written", errno);
    }
    if (file_.get() < 0) fail(path, "cannot be written", EEXIST);
  }
  ~NewFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int descriptor() const { return file_.get(); }

  void replace() {
    const std::string unnamed = fmt::format("/proc/self/fd/{}", file_.get());
    for (int i = 0; name_.empty() && i < kTries; ++i) {
      const fs::path name = new_partial(folder_of(path_));
      if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
        name_ = name;
      else if (errno != EEXIST)
        fail(path_, "cannot be replaced", errno);
    }
    if (::rename(name_.c_str(), path_.c_str()) != 0) fail(path_, "cannot be replaced", errno);
    name_.clear();
  }

 private:
  fs::path path_, name_;  // empty: without one
  OpenDescriptor file_;
};

// The owner where this process may give files away: what root replaces stays the user's.
void take_permissions(int file, const struct stat& old) {
  const bool owned =
      ::fchown(file, old.st_uid, old.st_gid) == 0 || ::fchown(file, uid_t(-1), old.st_gid) == 0;
  ::fchmod(file, old.st_mode & (owned ? kPermissions : kPlainPermissions));
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view contents) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  const Target target = behind_links(path);
  struct stat old {};
  const bool exists = !target.descriptor && ::stat(target.path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail(path, "cannot be replaced", EISDIR);
  if (target.descriptor || (exists && !S_ISREG(old.st_mode))) return write_through(target, contents, path);
  NewFile file(target.path);
  if (exists) take_permissions(file.descriptor(), old);  // before there is anything to read
  write_all(file.descriptor(), contents, path);
  if (::fsync(file.descriptor()) != 0) fail_writing(path, errno);
  file.replace();
  sync_folder(folder_of(target.path));
}

}  // namespace warploom
