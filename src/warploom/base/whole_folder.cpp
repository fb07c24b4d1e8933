#include "warploom/base/whole_folder.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/json.h"
#include "warploom/base/open_descriptor.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSchema = "warploom_folder", kStaged = ".partial-";
constexpr int kVersion = 1, kHexadecimal = 16;

std::vector<fs::path> files_in(const fs::path& folder, std::string_view suffix) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == suffix) paths.push_back(entry.path());
  if (error)
    throw IoError(fmt::format("{}: the folder cannot be read: {}", folder.string(), error.message()));
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::uint64_t hash_of(const Json& value, std::string_view name, std::string_view where) {
  const std::string digits = value.is_string() ? value.get<std::string>() : std::string();
  std::uint64_t hash = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), hash, kHexadecimal);
  if (error != std::errc() || digits.empty() || end != digits.data() + digits.size())
    throw InvalidInput(
        fmt::format("{}: '{}' in 'files' is no hash, expected a hexadecimal number", where, name));
  return hash;
}

}  // namespace

FolderManifest::FolderManifest(const fs::path& folder) : folder_(folder) {
  const fs::path path = folder / kManifestName;
  std::error_code unseen;
  if (!fs::exists(path, unseen)) return;
  exists_ = true;
  const std::string where = path.string();
  const Json list = read_json_file(path);
  if (!list.is_object() || list.value("schema", Json()) != kSchema)
    throw InvalidInput(
        fmt::format("{}: is no list of a folder's files, expected one that `warploom train` or "
                    "`warploom calibrate` wrote",
                    where));
  if (list.value("version", Json()) != kVersion)
    throw Unsupported(fmt::format("{}: version {}, but this program reads version {}", where,
                                  list.value("version", Json()).dump(), kVersion));
  if (const Json by = list.value("created_by", Json()); by.is_string()) created_by_ = by.get<std::string>();
  const Json files = list.value("files", Json());
  if (!files.is_object())
    throw InvalidInput(fmt::format("{}: 'files' is no object, expected names and hashes", where));
  for (const auto& [name, hash] : files.items()) files_.emplace(name, hash_of(hash, name, where));
}

void FolderManifest::refuse(std::string_view file, std::string_view what) const {
  throw InvalidInput(fmt::format(
      "{}: {} {}: {} was ended while it wrote this folder, files of two were mixed, or it is damaged; "
      "expected {} again with all its files, or another folder",
      folder_.string(), file, what, created_by_, created_by_));
}

std::vector<fs::path> FolderManifest::paths(std::string_view suffix) const {
  std::vector<fs::path> paths = files_in(folder_, suffix);
  if (!exists_) return paths;
  for (const fs::path& path : paths)
    if (!files_.contains(path.filename())) refuse(path.filename().string(), "is not in its manifest.json");
  for (const auto& [name, hash] : files_)
    if (fs::path(name).extension() == suffix &&
        !std::binary_search(paths.begin(), paths.end(), folder_ / name))
      refuse(name, "is in its manifest.json, but not there");
  return paths;
}

void FolderManifest::check(const fs::path& file, std::string_view bytes) const {
  const auto found = files_.find(file.filename());
  if (exists_ && (found == files_.end() || found->second != hash_bytes(bytes)))
    refuse(file.filename().string(), "is not the one of its manifest.json");
}

namespace {

// Whoever holds it is the only one that writes the folder. File systems without locks are written without.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_.get() < 0)
      throw IoError(
          fmt::format("{}: the folder cannot be opened: {}", folder.string(), std::strerror(errno)));
    do held_ = ::flock(folder_.get(), LOCK_EX) == 0;
    while (!held_ && errno == EINTR);
  }
  bool held() const { return held_; }

 private:
  OpenDescriptor folder_;
  bool held_ = false;
};

// Where files lie until all are there; removed at its end.
class Stage {
 public:
  explicit Stage(const fs::path& folder) {
    std::string pattern = (folder / (std::string(kStaged) + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw IoError(fmt::format("{}: cannot be written: {}", folder.string(), std::strerror(errno)));
    path_ = pattern;
  }
  ~Stage() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What writers left that were killed.
void remove_stages(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(kStaged) && entry.is_directory(ignored) &&
        !entry.is_symlink(ignored))
      left.push_back(entry.path());
  for (const fs::path& path : left) fs::remove_all(path, ignored);
}

// Names and hashes of files that stay beside those that are written.
std::map<std::string, std::uint64_t> kept_files(const fs::path& folder, const FolderManifest& old,
                                                const FolderWriting& writing, const auto& goes) {
  std::map<std::string, std::uint64_t> kept;
  const auto keep = [&](const fs::path& path) {
    if (goes(path.filename().string())) return;
    const std::string bytes = read_file(path, UINT64_MAX);
    old.check(path, bytes);
    kept[path.filename()] = hash_bytes(bytes);
  };
  for (const auto& [name, hash] : old.files()) {
    const bool counts = std::find(writing.suffixes.begin(), writing.suffixes.end(),
                                  fs::path(name).extension().string()) != writing.suffixes.end();
    if (!counts) kept[name] = hash;  // of another command; its reader looks
    if (counts && !goes(name)) keep(folder / name);
  }
  if (!old.exists())
    for (const std::string_view suffix : writing.suffixes)
      for (const fs::path& path : files_in(folder, suffix)) keep(path);
  return kept;
}

std::string manifest_text(std::string_view created_by, const std::map<std::string, std::uint64_t>& files) {
  Json names = Json::object();
  for (const auto& [name, hash] : files) names[name] = fmt::format("{:016x}", hash);
  return json_text(
      {{"schema", kSchema}, {"version", kVersion}, {"created_by", created_by}, {"files", std::move(names)}});
}

}  // namespace

std::uintmax_t write_whole_folder(const fs::path& folder, const FolderWriting& writing,
                                  std::span<const FolderFile> files) {
  std::error_code error;
  fs::create_directories(folder, error);  // the lock says what is wrong
  error.clear();
  const FolderLock lock(folder);
  if (lock.held()) remove_stages(folder);
  const auto is_written = [&](const std::string& name) {
    return std::any_of(files.begin(), files.end(), [&](const FolderFile& file) { return file.name == name; });
  };
  const auto goes = [&](const std::string& name) {
    const auto& removed = writing.removed;
    return !writing.keeps_others || is_written(name) ||
           std::find(removed.begin(), removed.end(), name) != removed.end();
  };
  const FolderManifest old(folder);
  std::map<std::string, std::uint64_t> all = kept_files(folder, old, writing, goes);
  const Stage stage(folder);
  std::uintmax_t bytes = 0;
  for (const FolderFile& file : files) {
    all[file.name] = hash_bytes(file.contents);
    bytes += file.contents.size();
    write_file_atomically(stage.path() / file.name, file.contents);
  }
  write_file_atomically(folder / kManifestName, manifest_text(writing.created_by, all));
  const auto check = [&](const std::string& name) {
    if (error)
      throw IoError(fmt::format("{}: cannot be replaced: {}", (folder / name).string(), error.message()));
  };
  for (const FolderFile& file : files) {
    fs::rename(stage.path() / file.name, folder / file.name, error);
    check(file.name);
  }
  for (const std::string_view suffix : writing.suffixes)
    for (const fs::path& path : files_in(folder, suffix)) {
      if (!all.contains(path.filename())) fs::remove(path, error);
      check(path.filename());
    }
  sync_folder(folder);
  return bytes;
}

}  // namespace warploom
