#include "warploom/cli/python_package.h"

#include <cstdlib>
#include <filesystem>

namespace warploom {
namespace {

namespace fs = std::filesystem;

// The folder that holds this one of its programs; links, as a build folder has them, lead to the source tree.
fs::path package_at(const fs::path& folder) {
  std::error_code ignored;
  const fs::path marker = fs::canonical(folder / "warploom" / "profile.py", ignored);
  return ignored ? fs::path() : marker.parent_path().parent_path();
}

}  // namespace

std::string python_package() {
  if (const char* named = std::getenv("WARPLOOM_PACKAGE"); named != nullptr) return named;
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path())
    for (const fs::path& place : {folder, folder / "python"})
      if (const fs::path found = package_at(place); !found.empty()) return found.string();
  return "python";
}

}  // namespace warploom
