// Whole-file reading and all-or-nothing writing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace warploom {

// The whole file; gzip is undone when the file starts with the gzip magic bytes.
// Throws IoError (missing, unreadable, truncated gzip) naming the path.
std::string read_file(const std::filesystem::path& path);

// Writes to a temporary file in the same folder and renames it over `path`, so a reader sees the old or the
// new contents and never a part. Makes missing parent folders. Throws IoError.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

}  // namespace warploom
