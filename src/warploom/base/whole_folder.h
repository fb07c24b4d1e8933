// Folders of files that count together, such as a predictor's families: whole or not at all.
//
// Beside the files lies manifest.json with the name and hash of each. All files are written into a folder of
// their own first; then the manifest takes its place and only then, one by one, the files do. So whatever
// ends a writer leaves the folder as it was, or one whose files are not those of its manifest, which every
// reader refuses; writing it again mends it. A second writer waits for the first.
//
// A folder without a manifest is an older program's or was put together by hand. It is read as it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warploom {

inline constexpr std::string_view kManifestName = "manifest.json";

class FolderManifest {
 public:
  // Throws InvalidInput on a manifest that is none.
  explicit FolderManifest(const std::filesystem::path& folder);

  bool exists() const { return exists_; }
  const std::map<std::string, std::uint64_t>& files() const { return files_; }
  // The paths of the folder's files with this suffix, by name. Throws IoError where the folder cannot be
  // read, InvalidInput when they are not those of the manifest.
  std::vector<std::filesystem::path> paths(std::string_view suffix) const;
  // Throws InvalidInput unless `bytes` are what was written under that name.
  void check(const std::filesystem::path& file, std::string_view bytes) const;

 private:
  [[noreturn]] void refuse(std::string_view file, std::string_view what) const;

  std::filesystem::path folder_;
  bool exists_ = false;
  std::string created_by_ = "its writer";
  std::map<std::string, std::uint64_t> files_;  // name and XXH64
};

struct FolderFile {
  std::string name, contents;
};

struct FolderWriting {
  std::string_view created_by;             // a command
  std::vector<std::string_view> suffixes;  // of the files that count together
  std::vector<std::string> removed;        // names that go, where they are there
  bool keeps_others = true;                // files with these suffixes that are not written stay
};

// Returns the bytes of `files`. Throws IoError; InvalidInput when a file that would stay is not the one of
// the folder's manifest.
std::uintmax_t write_whole_folder(const std::filesystem::path& folder, const FolderWriting& writing,
                                  std::span<const FolderFile> files);

}  // namespace warploom
