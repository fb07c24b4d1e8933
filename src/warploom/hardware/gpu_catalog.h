// Every GPU that is known: the built-in records (data/gpus/*.json, linked into the binary) and the user's
// own.
//
// Specs handed out stay where they are for the catalog's life. Const methods may run concurrently; load_gpu
// must not run beside them.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/base/embedded_file.h"
#include "warploom/base/file_scope.h"
#include "warploom/base/json.h"
#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// Reads and checks one record and fills the derived members. Throws InvalidInput naming `where` and the key,
// Unsupported when the record's version is newer than this program.
GpuSpec gpu_from_json(const Json& document, std::string_view where);
Json gpu_to_json(const GpuSpec& gpu);

class GpuCatalog {
 public:
  // The built-in records.
  GpuCatalog();
  // These records alone. Throws InvalidInput on a bad record or a name that two records share.
  explicit GpuCatalog(std::span<const EmbeddedFile> records);
  GpuCatalog(const GpuCatalog&) = delete;
  GpuCatalog& operator=(const GpuCatalog&) = delete;

  // By canonical name, alias or title; case, punctuation and a leading "NVIDIA", "AMD" or "Tesla" do not
  // matter. nullptr when unknown. O(length of name).
  const GpuSpec* find(std::string_view name) const;
  // The same; throws NotFound with the nearest names.
  const GpuSpec& get(std::string_view name) const;

  // A name as get() takes it, or the path of a user's record (it ends in .json or names an existing file)
  // that `files` holds, which joins the catalog; the same path gives the same spec. A record whose name or
  // alias is taken is refused. Throws NotFound, IoError, InvalidInput, Unsupported.
  const GpuSpec& load_gpu(std::string_view name_or_path, const FileScope& files = {});
  // Adds a spec made by the caller; checked as a record is, its largest_part looked up.
  const GpuSpec& add(GpuSpec gpu, std::string_view where);

  // In the order of canonical names, then the user's.
  const std::deque<GpuSpec>& gpus() const { return gpus_; }
  std::vector<std::string> names() const;

 private:
  GpuSpec& insert(GpuSpec gpu, std::string_view where);
  void find_largest_part(GpuSpec& gpu, std::string_view where) const;

  std::deque<GpuSpec> gpus_;
  std::unordered_map<std::string, const GpuSpec*> by_name_;  // folded names and aliases
  std::map<std::filesystem::path, const GpuSpec*> by_path_;
};

}  // namespace warploom
