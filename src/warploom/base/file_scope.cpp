#include "warploom/base/file_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "warploom/base/error.h"

namespace warploom {
namespace fs = std::filesystem;

FileScope FileScope::machine() noexcept {
  FileScope scope;
  scope.machine_ = true;
  return scope;
}

FileScope FileScope::folder(const fs::path& root) {
  FileScope scope;
  scope.root_ = root.lexically_normal();
  return scope;
}

namespace {

// No file can be called so: looking for it is an error of the system, not "there is none".
bool is_too_long(const fs::path& path) {
  return path.native().size() >= PATH_MAX || std::any_of(path.begin(), path.end(), [](const fs::path& part) {
           return part.native().size() > NAME_MAX;
         });
}

}  // namespace

bool FileScope::holds(const fs::path& path) const {
  if (is_too_long(path)) return false;
  if (machine_) return true;
  // A relative path depends on where the program stands, which says nothing about who asks.
  if (root_.empty() || !path.is_absolute() || path.native().find('\0') != std::string::npos) return false;
  const fs::path plain = path.lexically_normal();
  const auto parts = std::mismatch(root_.begin(), root_.end(), plain.begin(), plain.end());
  return parts.first == root_.end() && parts.second != plain.end();
}

void FileScope::check_writes(const fs::path& path, std::string_view what) const {
  if (path.empty() || holds(path)) return;
  throw Unsupported(fmt::format(
      "{}: writes files on this machine, which is not done here, expected the command line", what));
}

void FileScope::check_programs(std::string_view what) const {
  if (!machine_)
    throw Unsupported(fmt::format(
        "{}: starts a program on this machine, which is not done here, expected the command line", what));
}

}  // namespace warploom
