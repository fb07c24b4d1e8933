#include "warploom/app/predict/excluded_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_excluded_gpus";
constexpr int kVersion = 1;

void sort_once(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

std::vector<std::string> excluded_gpus_of(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kExcludedGpusName;
  const FolderManifest manifest(folder);
  const bool listed = manifest.files().contains(std::string(kExcludedGpusName));
  if (!listed && !std::filesystem::exists(path)) return {};
  const std::string bytes = read_file(path);
  manifest.check(path, bytes);
  const std::string where = path.string();
  const Json note = parse_json(bytes, where);
  if (!note.is_object() || note.value("schema", Json()) != kSchema)
    throw InvalidInput(
        fmt::format("{}: is no list of GPUs, expected one that `warploom train` wrote", where));
  if (note.value("version", Json()) != kVersion)
    throw Unsupported(fmt::format("{}: version {}, but this program reads version {}", where,
                                  note.value("version", Json()).dump(), kVersion));
  const Json gpus = note.value("gpus", Json());
  if (!gpus.is_array())
    throw InvalidInput(fmt::format("{}: 'gpus' is no list, expected the names of GPUs", where));
  const GpuCatalog catalog;
  std::vector<std::string> names;
  for (const Json& gpu : gpus) {
    if (!gpu.is_string())
      throw InvalidInput(fmt::format("{}: 'gpus' holds {}, expected names", where, gpu.dump()));
    names.push_back(catalog.get(gpu.get<std::string>()).name);
  }
  sort_once(names);
  return names;
}

FolderFile excluded_gpus_note(std::vector<std::string> gpus) {
  sort_once(gpus);
  return {std::string(kExcludedGpusName),
          json_text({{"schema", kSchema}, {"version", kVersion}, {"gpus", gpus}})};
}

}  // namespace warploom
