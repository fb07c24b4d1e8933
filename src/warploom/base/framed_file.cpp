#include "warploom/base/framed_file.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

constexpr std::size_t kMagicSize = 8, kChecksumSize = sizeof(std::uint64_t);

std::size_t version_size(const FileFormat& format) {
  return sizeof(std::uint32_t) * (format.has_minor ? 2 : 1);
}

std::string version_text(const FileFormat& format, std::uint32_t major, std::uint32_t minor) {
  return format.has_minor ? fmt::format("{}.{}", major, minor) : fmt::format("{}", major);
}

}  // namespace

void check_version(const FileFormat& format, std::uint32_t major, std::uint32_t minor,
                   std::string_view where) {
  if (major >= format.oldest_major && major <= format.major) return;
  throw Unsupported(
      fmt::format("{}: {} of version {}, but this program reads version {}{}", where, format.name,
                  version_text(format, major, minor), version_text(format, format.major, format.minor),
                  major < format.major ? fmt::format(": run `{}` again", format.written_by) : std::string()));
}

FileHead::FileHead(const FileFormat& format, std::string_view json, std::string_view where)
    : where_(where), name_(format.name), written_by_(format.written_by) {
  auto document = std::make_shared<Json>(parse_json(json, fmt::format("{}: head", where)));
  if (!document->is_object())
    throw InvalidInput(fmt::format("{}: the {}'s head is no JSON object", where_, name_));
  document_ = std::move(document);
  if (const std::string schema = text("schema"); schema != format.schema)
    throw InvalidInput(
        fmt::format("{}: the {}'s schema is '{}', expected '{}'", where_, name_, schema, format.schema));
}

void FileHead::refuse(std::string_view key, std::string_view expected) const {
  throw InvalidInput(fmt::format("{}: '{}' in the {}'s head is not {}", where_, key, name_, expected));
}

const Json& FileHead::at(std::string_view key) const {
  const auto found = document_->find(key);
  if (found == document_->end())
    throw InvalidInput(fmt::format("{}: the {}'s head has no '{}'", where_, name_, key));
  return *found;
}

std::string FileHead::text(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_string()) refuse(key, "a text");
  return value.get<std::string>();
}

double FileHead::number(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_number()) refuse(key, "a number");
  return value.get<double>();
}

std::uint64_t FileHead::count(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_number_unsigned()) refuse(key, "a whole number of at least 0");
  return value.get<std::uint64_t>();
}

std::uint64_t FileHead::hash(std::string_view key) const {
  const std::string digits = text(key);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || digits.empty() || end != digits.data() + digits.size())
    refuse(key, "a hexadecimal number");
  return value;
}

std::vector<std::string> FileHead::texts(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_array()) refuse(key, "a list of texts");
  std::vector<std::string> all;
  for (const Json& one : value) {
    if (!one.is_string()) refuse(key, "a list of texts");
    all.push_back(one.get<std::string>());
  }
  return all;
}

void FileHead::check_features(int ours) const {
  if (const std::uint64_t theirs = count("feature_version"); theirs != std::uint64_t(ours))
    throw Unsupported(
        fmt::format("{}: learned from features of version {}, but this program computes version {}: run `{}` "
                    "again",
                    where_, theirs, ours, written_by_));
}

Json file_head(const FileFormat& format, std::string_view created_by) {
  Json head;
  head["schema"] = format.schema;
  if (format.has_minor)
    head["version"] = version_text(format, format.major, format.minor);
  else
    head["version"] = format.major;
  head["created_by"] = created_by;
  return head;
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string framed_file(const FileFormat& format, const Json& head, std::string_view records) {
  WARPLOOM_ASSERT(format.magic.size() == kMagicSize);
  ByteWriter out;
  out.put_bytes(format.magic);
  out.put(format.major);
  if (format.has_minor) out.put(format.minor);
  out.put_text(head.dump());
  out.put_bytes(records);
  out.put(hash_bytes(out.bytes()));
  return out.bytes();
}

void FramedFile::finish(const FileFormat& format, std::string_view where) const {
  const bool newer = major == format.major && minor > format.minor;
  if (!newer && !records.at_end())
    throw InvalidInput(
        fmt::format("{}: the {} holds bytes after its last record (from byte {} of its records)", where,
                    format.name, records.position()));
}

FramedFile open_framed_file(const FileFormat& format, std::string_view bytes, std::string_view where) {
  if (bytes.size() < kMagicSize + version_size(format) + kChecksumSize ||
      bytes.substr(0, kMagicSize) != format.magic)
    throw InvalidInput(fmt::format("{}: not a {} (expected it to start with {}; `{}` writes one)", where,
                                   format.name, format.magic, format.written_by));
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumSize);
  ByteReader in(body.substr(kMagicSize), where);
  const auto major = in.take<std::uint32_t>();
  const std::uint32_t minor = format.has_minor ? in.take<std::uint32_t>() : 0;
  check_version(format, major, minor, where);
  ByteReader tail(bytes.substr(body.size()), where);
  if (tail.take<std::uint64_t>() != hash_bytes(body))
    throw InvalidInput(
        fmt::format("{}: the {} is damaged (its checksum does not match)", where, format.name));
  FileHead head(format, in.take_text(), where);
  return {major, minor, std::move(head), ByteReader(in.rest(), where)};
}

}  // namespace warploom
