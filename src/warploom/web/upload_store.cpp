#include "warploom/web/upload_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/web/random_token.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kUploadPrefix = "upload:";
constexpr std::string_view kNewUpload = "upload:new";
constexpr const char* kOutputKey = "output";
constexpr std::size_t kMostNameBytes = 120;
constexpr std::size_t kMostDepth = 64;

void check_upload_name(std::string_view name) {
  const bool plain = !name.empty() && name.size() <= kMostNameBytes && name.front() != '.' &&
                     std::all_of(name.begin(), name.end(), [](unsigned char c) {
                       return c > 0x20 && c < 0x7F && c != '/' && c != '\\';
                     });
  if (!plain)
    throw InvalidInput(
        fmt::format("name: expected the plain name of a file, up to {} characters without blanks, slashes or "
                    "a leading dot, for example trace.csv",
                    kMostNameBytes));
}

// Whether a text can reach a file of this machine beside those of the program's own folder.
bool names_machine_path(std::string_view text) {
  if (text.starts_with('/') || text.starts_with('~') || text.find('\0') != text.npos) return true;
  while (!text.empty()) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    if (text.substr(0, slash) == "..") return true;
    text.remove_prefix(std::min(slash + 1, text.size()));
  }
  return false;
}

}  // namespace

UploadStore::UploadStore(const UploadLimits& limits) : limits_(limits) {}

void UploadStore::clear() {
  const std::scoped_lock lock(mutex_);
  uploads_.clear();
  folder_.remove();
}

std::string UploadStore::add(std::string_view name, std::string_view contents) {
  check_upload_name(name);
  if (contents.size() > limits_.file_bytes)
    throw InvalidInput(
        fmt::format("{}: {} bytes, expected at most {}", name, contents.size(), limits_.file_bytes));
  const Upload upload{.id = random_token(), .name = std::string(name), .bytes = contents.size()};
  const std::scoped_lock lock(mutex_);
  make_room(upload.bytes);
  write_file_atomically(folder_.path() / upload.id / upload.name, contents);
  bytes_ += upload.bytes;
  uploads_.push_back(upload);
  return std::string(kUploadPrefix) + upload.id;
}

void UploadStore::make_room(std::size_t bytes) {
  while (!uploads_.empty() && (uploads_.size() >= limits_.files || bytes_ + bytes > limits_.total_bytes)) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_.path() / uploads_.front().id, ignored);
    bytes_ -= uploads_.front().bytes;
    uploads_.pop_front();
  }
}

fs::path UploadStore::path_of(const std::string& upload) const {
  const std::string_view id = std::string_view(upload).substr(kUploadPrefix.size());
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::find_if(uploads_.begin(), uploads_.end(), [&](const Upload& one) { return one.id == id; });
  if (found == uploads_.end())
    throw NotFound(fmt::format("{}: no such file is here any more, send it again to /api/v1/files", upload));
  return folder_.path() / found->id / found->name;
}

std::string UploadStore::replaced_text(const std::string& text, std::string_view field,
                                       const AnswerReach* reach) const {
  if (text.starts_with(kUploadPrefix)) {
    if (reach == nullptr) return text == kNewUpload ? kOutputKey : path_of(text).filename().string();
    if (!reach->takes_files(field))
      throw Unsupported(
          fmt::format("{}: takes no file that was sent here, expected what `schema` says of it", field));
    return path_of(text).string();
  }
  if (reach != nullptr && names_machine_path(text))
    throw InvalidInput(fmt::format(
        "'{}': paths of this machine are not read for the page, expected the file itself, sent to "
        "/api/v1/files",
        text));
  return text;
}

Json UploadStore::replaced(const Json& asked, std::string_view field, const AnswerReach* reach,
                           std::size_t depth) const {
  if (depth > kMostDepth)
    throw InvalidInput(fmt::format("the body is nested deeper than {} levels", kMostDepth));
  if (asked.is_string()) return replaced_text(asked.get_ref<const std::string&>(), field, reach);
  Json result = asked;
  if (result.is_object())
    for (auto& [key, part] : result.items()) part = replaced(part, key, reach, depth + 1);
  if (result.is_array())
    for (Json& part : result) part = replaced(part, field, reach, depth + 1);
  return result;
}

Json UploadStore::inputs_of(const Json& asked, const AnswerReach& reach) const {
  const std::string output(reach.output);
  if (!asked.is_object() || output.empty() || !asked.contains(output)) return replaced(asked, "", &reach, 0);
  if (asked[output] != kNewUpload)
    throw Unsupported(fmt::format(
        "{}: writes files on this machine, which is not done here, expected {} or the command line", output,
        kNewUpload));
  Json inputs = asked;
  inputs.erase(output);
  return replaced(inputs, "", &reach, 0);
}

void UploadStore::check(const Json& asked, const AnswerReach& reach) const { (void)inputs_of(asked, reach); }

Json UploadStore::with_paths(const Json& asked, const AnswerReach& reach) {
  Json result = inputs_of(asked, reach);
  const std::string output(reach.output);
  if (!asked.is_object() || output.empty() || !asked.contains(output)) return result;
  const fs::path folder = folder_.path() / random_token();
  fs::create_directory(folder);
  result[output] = (folder / kOutputKey).string();
  return result;
}

Json UploadStore::keep_outputs(const Json& asked_with_paths) {
  Json files = Json::object();
  if (!asked_with_paths.is_object()) return files;
  const std::filesystem::path path = asked_with_paths.value(kOutputKey, std::string());
  if (path.parent_path().parent_path() != folder_.path()) return files;
  std::error_code error;
  const std::uintmax_t bytes =
      std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
  if (error || bytes == 0 || bytes > limits_.total_bytes) {
    std::filesystem::remove_all(path.parent_path(), error);
    return files;
  }
  const std::scoped_lock lock(mutex_);
  make_room(bytes);
  bytes_ += bytes;
  uploads_.push_back({.id = path.parent_path().filename(), .name = path.filename(), .bytes = bytes});
  files[kOutputKey] = std::string(kUploadPrefix) + uploads_.back().id;
  return files;
}

std::pair<std::string, std::string> UploadStore::read(const std::string& id) const {
  const fs::path path = path_of(std::string(kUploadPrefix) + id);
  return {path.filename().string(), read_file(path)};
}

Json UploadStore::with_names(const Json& asked) const { return replaced(asked, "", nullptr, 0); }

std::string UploadStore::without_paths(std::string message) const {
  const std::string prefix = folder_.path().string() + "/";
  const std::size_t id_length = kTokenDigits + 1;
  for (std::size_t at = 0; (at = message.find(prefix, at)) != std::string::npos;)
    message.erase(at, prefix.size() + id_length);
  return message;
}

}  // namespace warploom
