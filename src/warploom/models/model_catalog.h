// The models that are known by name: data/models/*.json, linked into the binary, each the facts of a
// published config.json with its names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/embedded_file.h"
#include "warploom/base/file_scope.h"
#include "warploom/models/architecture.h"

namespace warploom {

// Immutable after construction; const methods may run concurrently.
class ModelCatalog {
 public:
  // The built-in records.
  ModelCatalog();
  // These records alone. Throws InvalidInput on a bad record or a name that two records share.
  explicit ModelCatalog(std::span<const EmbeddedFile> records);

  struct Entry {
    std::string name;                  // "meta-llama/Llama-3.1-8B"
    std::vector<std::string> aliases;  // other ids of the same architecture and storage
    // "ALIAS=ID" for aliases that are usual but no repository's name.
    std::vector<std::string> repositories;
    std::string source;  // where the facts come from
    ModelArchitecture model;
  };
  // By name.
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<std::string> names() const;

  // By name or alias, with or without the part before '/'; upper and lower case and '_' for '-' are the same.
  // nullptr when unknown.
  const ModelArchitecture* find(std::string_view name) const;
  // The same; throws NotFound with the nearest names.
  const ModelArchitecture& get(std::string_view name) const;

  // The id that the weights of a known name are fetched by: the name itself, or that alias of it, spelled as
  // its repository is. Empty when unknown.
  std::string repository(std::string_view name) const;

  // A known name, or the path of a config.json or of a folder that holds one: a text that ends in .json,
  // starts with '.', '/' or '~', or that is no known name and exists as a file. Else the id of a repository
  // in hub_cache(). What `files` does not hold is a name. Throws NotFound, IoError, InvalidInput,
  // Unsupported.
  ModelArchitecture load(const std::string& name_or_path, const FileScope& files = {}) const;

 private:
  void add(const EmbeddedFile& record);
  void index(const std::string& name, std::size_t entry, std::string_view where);

  std::vector<Entry> entries_;
  std::vector<std::pair<std::string, std::size_t>> by_key_;  // sorted once built
};

// ModelCatalog().load(name_or_path, files), which opens no file where none are given; of the built-in
// records it reads those that spell the name (about 1 ms; all take about 100 ms).
ModelArchitecture load_model(const std::string& name_or_path, const FileScope& files = {});

// What an engine is started with for such a model: ModelCatalog::repository of a name, of a path the folder
// that holds its config.json, and anything else as it stands.
std::string repository_of_model(const std::string& name_or_path, const FileScope& files = {});

}  // namespace warploom
