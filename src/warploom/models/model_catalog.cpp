#include "warploom/models/model_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/base/json.h"
#include "warploom/base/json_members.h"
#include "warploom/base/nearest_name.h"
#include "warploom/models/hf/hub_cache.h"
#include "warploom/models/hf_config.h"
#include "warploom/models/model_names.h"
#include "warploom_embedded/model_records.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_model";
constexpr std::int64_t kVersion = 1;

// The parts of a record; its config is read by hf_config.
struct RecordHeader {
  std::string name;
  std::vector<std::string> aliases, repositories;
  std::string source;
  static FieldTable describe() {
    return FieldList<RecordHeader>("model_record")
        .add("name", &RecordHeader::name, {.required = true})
        .add("aliases", &RecordHeader::aliases)
        .add("repositories", &RecordHeader::repositories)
        .add("source", &RecordHeader::source, {.required = true})
        .table();
  }
};

// Where the config.json of a repository is to be had.
std::string where_configs_are(std::string_view name) {
  if (name.find('/') == std::string_view::npos || name.size() > 100) return {};
  return fmt::format(", as https://huggingface.co/{}/resolve/main/config.json", name);
}

// The built-in records, read at the first question of a process that needs them all.
const ModelCatalog& built_in_models() {
  static const ModelCatalog catalog;
  return catalog;
}

// The built-in records that may know this name, and some more: those that spell it anywhere. Reading them all
// takes longer than most questions of one model.
ModelCatalog built_in_models_that_spell(std::string_view name) {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> result;
    for (const EmbeddedFile& record : embedded::model_records()) result.push_back(model_key(record.contents));
    return result;
  }();
  const std::string key = model_key(name);
  std::vector<EmbeddedFile> records;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].find(key) != std::string::npos) records.push_back(embedded::model_records()[i]);
  return ModelCatalog(records);
}

}  // namespace

ModelCatalog::ModelCatalog() : ModelCatalog(embedded::model_records()) {}

ModelCatalog::ModelCatalog(std::span<const EmbeddedFile> records) {
  for (const EmbeddedFile& record : records) add(record);
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  // Whole names first, so that none is lost to another record's short name.
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    index(entries_[i].name, i, entries_[i].name);
    for (const std::string& alias : entries_[i].aliases) index(alias, i, entries_[i].name);
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    index(std::string(without_owner(entries_[i].name)), i, entries_[i].name);
    for (const std::string& alias : entries_[i].aliases)
      index(std::string(without_owner(alias)), i, entries_[i].name);
  }
  std::sort(by_key_.begin(), by_key_.end());
}

void ModelCatalog::add(const EmbeddedFile& record) {
  Json document = parse_json(record.contents, record.name);
  const auto invalid = [&record](std::string_view message) {
    return InvalidInput(fmt::format("{}: {}", record.name, message));
  };
  if (!document.is_object() || text_member_or(document, "schema", "") != kSchema) {
    throw invalid(fmt::format("expected a record with \"schema\": \"{}\"", kSchema));
  }
  if (document_version(document) != kVersion) {
    throw Unsupported(
        fmt::format("{}: version is not {}, made by another program version", record.name, kVersion));
  }
  if (!document.contains("config")) throw invalid("'config' is missing, expected the facts of a config.json");
  const Json config = document["config"];
  const std::optional<Json> hf_quant =
      document.contains("hf_quant_config") ? std::optional<Json>(document["hf_quant_config"]) : std::nullopt;
  document.erase("config");
  document.erase("hf_quant_config");
  auto header = object_from_json<RecordHeader>(document, record.name);
  Entry entry{header.name, header.aliases, header.repositories, header.source, {}};
  entry.model = architecture_from_config(config, hf_quant ? &*hf_quant : nullptr, header.name, record.name);
  entries_.push_back(std::move(entry));
}

void ModelCatalog::index(const std::string& name, std::size_t entry, std::string_view where) {
  const std::string key = model_key(name);
  const auto known =
      std::find_if(by_key_.begin(), by_key_.end(), [&key](const auto& pair) { return pair.first == key; });
  if (known == by_key_.end()) {
    by_key_.emplace_back(key, entry);
  } else if (known->second != entry) {
    throw InvalidInput(fmt::format("{}: '{}' already names {}", where, name, entries_[known->second].name));
  }
}

std::vector<std::string> ModelCatalog::names() const {
  std::vector<std::string> result;
  for (const Entry& entry : entries_) result.push_back(entry.name);
  return result;
}

const ModelArchitecture* ModelCatalog::find(std::string_view name) const {
  const std::string key = model_key(name);
  const auto at =
      std::lower_bound(by_key_.begin(), by_key_.end(), key,
                       [](const auto& pair, const std::string& wanted) { return pair.first < wanted; });
  return at != by_key_.end() && at->first == key ? &entries_[at->second].model : nullptr;
}

const ModelArchitecture& ModelCatalog::get(std::string_view name) const {
  if (const ModelArchitecture* model = find(name)) return *model;
  std::vector<std::string> candidates;
  for (const Entry& entry : entries_) {
    candidates.push_back(entry.name);
    candidates.emplace_back(without_owner(entry.name));
    candidates.insert(candidates.end(), entry.aliases.begin(), entry.aliases.end());
  }
  throw NotFound(
      fmt::format("model '{}' is not known{}; expected the name of a built-in model or the path of a "
                  "config.json{}",
                  name, did_you_mean(name, candidates), where_configs_are(name)));
}

std::string ModelCatalog::repository(std::string_view name) const {
  const ModelArchitecture* model = find(name);
  if (model == nullptr) return {};
  const std::string key = model_key(name);
  for (const Entry& entry : entries_) {
    if (&entry.model != model) continue;
    std::vector<std::string> ids{entry.name};
    ids.insert(ids.end(), entry.aliases.begin(), entry.aliases.end());
    for (const std::string& id : ids) {
      if (model_key(id) != key && model_key(without_owner(id)) != key) continue;
      for (const std::string& pair : entry.repositories)
        if (pair.starts_with(id + "=")) return pair.substr(id.size() + 1);
      return id;
    }
  }
  return {};
}

ModelArchitecture ModelCatalog::load(const std::string& name_or_path, const FileScope& files) const {
  if (!files.holds(name_or_path)) return get(name_or_path);
  if (is_model_path(name_or_path)) return read_hf_config(name_or_path);
  if (const ModelArchitecture* model = find(name_or_path)) return *model;
  if (!name_or_path.empty() && std::filesystem::exists(name_or_path)) return read_hf_config(name_or_path);
  if (const auto config = cached_config(hub_cache(), name_or_path)) {
    ModelArchitecture model = read_hf_config(config->string());
    model.name = name_or_path;
    return model;
  }
  return get(name_or_path);
}

ModelArchitecture load_model(const std::string& name_or_path, const FileScope& files) {
  if (!(files.holds(name_or_path) && is_model_path(name_or_path)))
    if (const ModelCatalog some = built_in_models_that_spell(name_or_path);
        some.find(name_or_path) != nullptr)
      return some.get(name_or_path);
  return built_in_models().load(name_or_path, files);
}

std::string repository_of_model(const std::string& name_or_path, const FileScope& files) {
  const bool path = files.holds(name_or_path) && is_model_path(name_or_path);
  if (!path)
    if (std::string id = built_in_models_that_spell(name_or_path).repository(name_or_path); !id.empty())
      return id;
  const std::filesystem::path given(name_or_path);
  return given.extension() == ".json" ? given.parent_path().string() : name_or_path;
}

}  // namespace warploom
