#include "warploom/hardware/gpu_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/nearest_name.h"
#include "warploom/hardware/folded_name.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/gpu_records.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_gpu";
constexpr std::int64_t kVersion = 2;
// What an engine's kernel showed on a GPU stands in data/steps now; records that still hold it are read.
constexpr std::string_view kMovedToSteps = "decode_attention_share";

}  // namespace

GpuSpec gpu_from_json(const Json& document, std::string_view where) {
  check_record_version(document, kSchema, kVersion, where);
  Json own = document;
  own.erase(std::string(kMovedToSteps));
  auto gpu = object_from_json<GpuSpec>(own, where);
  if (gpu.max_clock.value() <= 0) gpu.max_clock = gpu.boost_clock;
  if (gpu.title.empty()) gpu.title = gpu.name;
  gpu.check(where);
  gpu.name_hash = hash_bytes(gpu.name);
  return gpu;
}

Json gpu_to_json(const GpuSpec& gpu) {
  Json document = Json::object();
  document["schema"] = kSchema;
  document["version"] = kVersion;
  document.update(to_json(gpu));
  return document;
}

// The records are read once a process: reading them takes longer than a prediction.
GpuCatalog::GpuCatalog() {
  static const GpuCatalog shipped(embedded::gpu_records());
  std::unordered_map<const GpuSpec*, const GpuSpec*> copies;
  for (const GpuSpec& gpu : shipped.gpus_) copies.emplace(&gpu, &gpus_.emplace_back(gpu));
  for (const auto& [name, gpu] : shipped.by_name_) by_name_.emplace(name, copies.at(gpu));
}

GpuCatalog::GpuCatalog(std::span<const EmbeddedFile> records) {
  std::vector<GpuSpec> specs;
  specs.reserve(records.size());
  for (const EmbeddedFile& record : records) {
    specs.push_back(gpu_from_json(parse_json(record.contents, record.name), record.name));
  }
  std::sort(specs.begin(), specs.end(), [](const GpuSpec& a, const GpuSpec& b) { return a.name < b.name; });
  for (GpuSpec& spec : specs) insert(std::move(spec), "built-in GPU records");
  for (GpuSpec& gpu : gpus_) find_largest_part(gpu, "built-in GPU records");
}

const GpuSpec* GpuCatalog::find(std::string_view name) const {
  // Folding leaves out what stands between letters; a stray "[H100" is a slip all the same.
  if (name.find_first_of("[]{}<>\"'`;!?*=|\\") != std::string_view::npos) return nullptr;
  auto entry = by_name_.find(folded_name(name));
  if (entry == by_name_.end()) entry = by_name_.find(folded_name_without_brand(name));
  return entry == by_name_.end() ? nullptr : entry->second;
}

const GpuSpec& GpuCatalog::get(std::string_view name) const {
  if (const GpuSpec* gpu = find(name)) return *gpu;
  std::vector<std::string> known = names();
  for (const GpuSpec& gpu : gpus_) known.insert(known.end(), gpu.aliases.begin(), gpu.aliases.end());
  throw NotFound(fmt::format(
      "GPU '{}' is not known{}; expected a GPU's name (`warploom gpus` lists them) or the path of "
      "a record (.json)",
      name, did_you_mean(name, known)));
}

const GpuSpec& GpuCatalog::load_gpu(std::string_view name_or_path, const FileScope& files) {
  if (!names_a_file(name_or_path, files)) return get(name_or_path);
  const std::filesystem::path path = std::filesystem::absolute(name_or_path).lexically_normal();
  if (const auto loaded = by_path_.find(path); loaded != by_path_.end()) return *loaded->second;
  const std::string where(name_or_path);
  const GpuSpec& gpu = add(gpu_from_json(read_json_file(path), where), where);
  by_path_.emplace(path, &gpu);
  return gpu;
}

void GpuCatalog::find_largest_part(GpuSpec& gpu, std::string_view where) const {
  if (gpu.largest_part.empty()) return;
  const GpuSpec* part = gpu.largest_part == gpu.name ? &gpu : find(gpu.largest_part);
  if (part == nullptr) {
    throw InvalidInput(fmt::format("{}: 'largest_part' is '{}', expected the name of a known GPU{}", where,
                                   gpu.largest_part, did_you_mean(gpu.largest_part, names())));
  }
  constexpr double kGiga = 1e9;
  gpu.largest = {.watts = part->power_limit.value(),
                 .sms = double(part->sm_count),
                 .boost_ghz = part->boost_clock.value() / kGiga,
                 .highest_ghz = part->max_clock.value() / kGiga,
                 .rate = part->tensor_rates.fp16};
}

const GpuSpec& GpuCatalog::add(GpuSpec gpu, std::string_view where) {
  find_largest_part(gpu, where);
  return insert(std::move(gpu), where);
}

GpuSpec& GpuCatalog::insert(GpuSpec gpu, std::string_view where) {
  if (gpu.max_clock.value() <= 0) gpu.max_clock = gpu.boost_clock;
  gpu.check(where);
  gpu.name_hash = hash_bytes(gpu.name);
  std::vector<std::string> keys{gpu.name};
  keys.insert(keys.end(), gpu.aliases.begin(), gpu.aliases.end());
  for (const std::string& key : keys) {
    if (folded_name(key).empty()) {
      throw InvalidInput(fmt::format("{}: '{}' is no name, expected letters or digits", where, key));
    }
    if (const GpuSpec* taken = find(key)) {
      throw InvalidInput(
          fmt::format("{}: '{}' already names GPU '{}', expected a name of its own (change or remove it)",
                      where, key, taken->name));
    }
  }
  GpuSpec& kept = gpus_.emplace_back(std::move(gpu));
  for (const std::string& key : keys) by_name_.emplace(folded_name(key), &kept);
  // A title is for people: it leads here too unless another GPU's name came first.
  by_name_.emplace(folded_name(kept.title), &kept);
  return kept;
}

std::vector<std::string> GpuCatalog::names() const {
  std::vector<std::string> result;
  result.reserve(gpus_.size());
  for (const GpuSpec& gpu : gpus_) result.push_back(gpu.name);
  return result;
}

}  // namespace warploom
