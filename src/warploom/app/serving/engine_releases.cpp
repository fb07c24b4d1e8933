#include "warploom/app/serving/engine_releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/base/embedded_document.h"
#include "warploom/base/json.h"
#include "warploom/base/version.h"
#include "warploom_embedded/engine_release_files.h"

namespace warploom {
namespace {

using Releases = std::map<std::string, std::vector<std::string>, std::less<>>;

const Releases& known_releases() {
  static const Releases releases = from_embedded(
      embedded::engine_release_files(), "warploom_engine_releases",
      [](const Json& document, std::string_view) { return document.at("releases").get<Releases>(); });
  return releases;
}

// Numbers and dots alone, but for a "post".
bool is_plain(std::string_view version) {
  const std::size_t post = version.find(".post");
  return version.substr(0, post).find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_begun_by(const std::string& release, std::string_view version) {
  return release == version || (release.starts_with(version) && release[version.size()] == '.');
}

}  // namespace

void check_release(std::string_view engine, std::string_view version, std::string_view where) {
  if (version.starts_with('v')) version.remove_prefix(1);
  const auto at = known_releases().find(engine);
  if (at == known_releases().end() || version.empty() || !is_plain(version)) return;
  const std::vector<std::string>& releases = at->second;
  if (compare_versions(version, releases.front()) < 0 || compare_versions(version, releases.back()) > 0)
    return;
  if (std::any_of(releases.begin(), releases.end(),
                  [&](const std::string& release) { return is_begun_by(release, version); }))
    return;
  const auto distance = [&](const std::string& release) {
    return std::abs(version_position(release) - version_position(version));
  };
  const auto nearest =
      std::min_element(releases.begin(), releases.end(),
                       [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); });
  throw NotFound(
      fmt::format("{}: {} was never released as {}, expected one of its releases; the nearest is {}", where,
                  engine, version, *nearest));
}

}  // namespace warploom
