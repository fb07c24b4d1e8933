// The frame of every binary file that the program writes. A format names itself in a FileFormat; layout,
// versions, checksum and head are handled here, so that every reader refuses the same things with the same
// words.
//
// Layout, little-endian: 8 magic bytes, u32 major, u32 minor, the head (u32 length and JSON text: schema,
// version, created_by, then keys of the format), the format's records, XXH64 of everything before.
//
// Versions: a newer major is refused, since its layout is unknown; an older one is refused below
// oldest_major. A newer minor is read, and the records that it appends are not looked at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/byte_stream.h"
#include "warploom/base/json.h"

namespace warploom {

struct FileFormat {
  std::string_view magic;       // 8 characters
  std::string_view schema;      // of the head
  std::string_view name;        // in errors: "predictor file"
  std::string_view written_by;  // the command that writes such files anew
  std::uint32_t major = 1, minor = 0;
  std::uint32_t oldest_major = 1;  // still read
  bool has_minor = true;           // false: a version is a whole number, in the head and in the frame
};

// Throws Unsupported naming both versions when this program does not read `major`.
void check_version(const FileFormat& format, std::uint32_t major, std::uint32_t minor,
                   std::string_view where);

// The head of a file. A key that is missing or of another type is InvalidInput naming file and key.
class FileHead {
 public:
  FileHead(const FileFormat& format, std::string_view json, std::string_view where);

  const Json& document() const { return *document_; }
  const Json& at(std::string_view key) const;
  std::string text(std::string_view key) const;
  double number(std::string_view key) const;
  std::uint64_t count(std::string_view key) const;
  std::uint64_t hash(std::string_view key) const;  // written as 16 hexadecimal digits
  std::vector<std::string> texts(std::string_view key) const;
  // Throws Unsupported when the file was learned from another version of features than `ours`.
  void check_features(int ours) const;

 private:
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;

  std::string where_;
  std::string_view name_, written_by_;
  std::shared_ptr<const Json> document_;
};

// A head with the three keys of every format; the caller appends its own.
Json file_head(const FileFormat& format, std::string_view created_by);
std::string hash_text(std::uint64_t hash);  // as FileHead::hash reads it

std::string framed_file(const FileFormat& format, const Json& head, std::string_view records);

// An opened frame. Views into the bytes that it was opened from.
struct FramedFile {
  std::uint32_t major = 0, minor = 0;
  FileHead head;
  ByteReader records;

  // Throws InvalidInput when records are left that a file of this version does not have.
  void finish(const FileFormat& format, std::string_view where) const;
};

// Throws InvalidInput naming `where` on bytes that are no such file, cut or damaged; Unsupported on another
// version. Reading `records` beyond their end is InvalidInput too.
FramedFile open_framed_file(const FileFormat& format, std::string_view bytes, std::string_view where);

}  // namespace warploom
