// Files that clients sent, in a temporary folder that goes with the store. The oldest make room for new ones.
#pragma once

#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "warploom/answers/answer_reach.h"
#include "warploom/base/json.h"
#include "warploom/web/upload_folder.h"

namespace warploom {

struct UploadLimits {
  std::size_t file_bytes = std::size_t{32} << 20;
  std::size_t files = 64;
  std::size_t total_bytes = std::size_t{256} << 20;
};

// Thread-safe.
class UploadStore {
 public:
  // Throws IoError where no temporary folder can be made.
  explicit UploadStore(const UploadLimits& limits = {});
  UploadStore(const UploadStore&) = delete;
  UploadStore& operator=(const UploadStore&) = delete;

  const UploadLimits& limits() const { return limits_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

  // Removes the folder; nothing can be added after it.
  void clear();

  // "upload:ID". Throws InvalidInput on a name that is no plain file name, IoError.
  std::string add(std::string_view name, std::string_view contents);

  // What was asked, with paths where it says "upload:ID"; where the output says "upload:new", with a
  // new file's, which keep_outputs() later finds. Throws NotFound on an ID that is not there (any more),
  // Unsupported on an output that is no "upload:new" and on uploads in other fields than the request reads,
  // InvalidInput on texts that are paths of this machine: those would be looked for in vain.
  Json with_paths(const Json& asked, const AnswerReach& reach);
  // Throws what with_paths throws, and makes no file.
  void check(const Json& asked, const AnswerReach& reach) const;
  // {"output": "upload:ID"} for the file that an answer wrote there; an empty object where none was asked
  // for.
  Json keep_outputs(const Json& asked_with_paths);
  // {name, contents}. Throws NotFound, IoError.
  std::pair<std::string, std::string> read(const std::string& id) const;
  // The same with the files' own names, as a person would type them.
  Json with_names(const Json& asked) const;
  // A message without the paths of this store.
  std::string without_paths(std::string message) const;

 private:
  struct Upload {
    std::string id, name;
    std::size_t bytes = 0;
  };
  // `reach`: nullptr where uploads get their names in place of their paths.
  Json replaced(const Json& asked, std::string_view field, const AnswerReach* reach, std::size_t depth) const;
  std::string replaced_text(const std::string& text, std::string_view field, const AnswerReach* reach) const;
  // All but the output.
  Json inputs_of(const Json& asked, const AnswerReach& reach) const;
  std::filesystem::path path_of(const std::string& upload) const;
  void make_room(std::size_t bytes);

  UploadLimits limits_;
  UploadFolder folder_;
  mutable std::mutex mutex_;
  std::deque<Upload> uploads_;
  std::size_t bytes_ = 0;
};

}  // namespace warploom
