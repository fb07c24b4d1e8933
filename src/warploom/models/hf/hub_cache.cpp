#include "warploom/models/hf/hub_cache.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "warploom/base/file.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_repository(std::string_view id) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
  const std::size_t slash = id.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < id.size() && id.rfind('/') == slash &&
         id.find("..") == std::string_view::npos && id.find_first_not_of(kPlain) == std::string_view::npos;
}

// A commit's name and nothing else: what it is joined to stays in the folder.
std::string commit_of_main(const fs::path& repository) {
  const fs::path ref = repository / "refs" / "main";
  std::error_code none;
  if (!fs::is_regular_file(ref, none)) return {};
  std::string commit = read_file(ref);
  commit.resize(std::min(commit.find_first_of(" \r\n"), commit.size()));
  return commit.find_first_not_of("0123456789abcdef") == std::string::npos ? commit : std::string();
}

}  // namespace

fs::path hub_cache() {
  if (const std::string own = variable("HF_HUB_CACHE"); !own.empty()) return own;
  if (const std::string home = variable("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return fs::path(cache) / "huggingface" / "hub";
  const std::string home = variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "huggingface" / "hub";
}

std::optional<fs::path> cached_config(const fs::path& cache, std::string_view id) {
  if (cache.empty() || !is_repository(id)) return std::nullopt;
  std::string folder = "models--" + std::string(id);
  folder.replace(folder.find('/'), 1, "--");
  const fs::path snapshots = cache / folder / "snapshots";
  std::error_code none;
  std::vector<fs::path> found;
  if (const std::string commit = commit_of_main(cache / folder); !commit.empty())
    found.push_back(snapshots / commit / "config.json");
  std::vector<fs::path> others;
  for (fs::directory_iterator each(snapshots, none), end; !none && each != end; each.increment(none))
    others.push_back(each->path() / "config.json");
  std::sort(others.begin(), others.end());
  found.insert(found.end(), others.begin(), others.end());
  for (const fs::path& config : found)
    if (fs::is_regular_file(config, none)) return config;
  return std::nullopt;
}

}  // namespace warploom
