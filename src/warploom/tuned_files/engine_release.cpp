#include "warploom/tuned_files/engine_release.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom_embedded/tuned_file_names.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_tuned_files";

EngineRelease release_of(const EmbeddedFile& file) {
  const std::string where = fmt::format("built-in {}", file.name);
  const Json document = parse_json(file.contents, where);
  if (text_member_or(document, "schema", "") != kSchema)
    throw InvalidInput(fmt::format("{}: expected schema {}", where, kSchema));
  EngineRelease release{.engine = parse_enum<MoeEngine>(required_text(document, "engine", where), where),
                        .version = required_text(document, "engine_version", where),
                        .names = {}};
  for (const auto& [folder, devices] : required_member(document, "folders", where).items())
    for (const auto& [device, names] : devices.items())
      for (const Json& name : names) release.names[folder][device].insert(name.get<std::string>());
  return release;
}

// "triton_3_10_0" than "triton_3_9_0", "0.33.0" than "0.9.0".
bool newer(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() > b.size() : a > b;
}

}  // namespace

std::string EngineRelease::folder_with(const std::string& package_folder, const std::string& name,
                                       const std::string& device) const {
  constexpr std::string_view kEnding = ".json";
  const std::size_t place = name.find(device);
  if (place == std::string::npos || !name.ends_with(kEnding)) return {};
  const std::size_t behind = place + device.size();
  const std::string kept =
      fmt::format("{}*{}", name.substr(0, place), name.substr(behind, name.size() - behind - kEnding.size()));
  std::string found;
  for (const auto& [folder, devices] : names) {
    if (folder != package_folder && !folder.starts_with(package_folder + "/")) continue;
    const auto of_device = devices.find(device);
    if (of_device == devices.end() || !of_device->second.contains(kept)) continue;
    if (found.empty() || newer(folder, found)) found = folder;
  }
  return found;
}

std::vector<std::string> EngineRelease::devices() const {
  std::set<std::string> found;
  for (const auto& folder : names)
    for (const auto& device : folder.second) found.insert(device.first);
  return {found.begin(), found.end()};
}

EngineRelease engine_release(MoeEngine engine, std::string_view version) {
  std::vector<std::string> known;
  std::optional<EngineRelease> found;
  for (const EmbeddedFile& file : embedded::tuned_file_names()) {
    EngineRelease release = release_of(file);
    if (release.engine != engine) continue;
    known.push_back(release.version);
    const bool better = !found || newer(release.version, found->version);
    if (version.empty() ? better : release.version == version) found = std::move(release);
  }
  if (found) return *std::move(found);
  throw Unsupported(fmt::format(
      "engine_version: which tuned files {} {} looks for is not known, expected {}; `tools/tuned_file_names` "
      "lists a release's",
      name_of(engine), version, fmt::join(known, ", ")));
}

}  // namespace warploom
