// Whole-file reading and all-or-nothing writing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace warploom {

// A descriptor of a regular file, to be closed by the caller; `what` was expected. Throws IoError naming the
// path: missing, a folder, unreadable, or a device, pipe or socket, which may never end or never answer and
// is not opened at all.
int open_regular_file(const std::filesystem::path& path, std::string_view what = "file");

// What a file that is read whole may hold, after gzip is undone: profiler traces reach some hundred MB, and
// 13 MB of gzip can unpack to gigabytes.
inline constexpr std::uint64_t kMostFileBytes = std::uint64_t(1) << 30;

// The whole regular file; gzip is undone when the file starts with the gzip magic bytes.
// Throws IoError (as open_regular_file, truncated gzip) naming the path, InvalidInput when there are more
// than `most_bytes`.
std::string read_file(const std::filesystem::path& path, std::uint64_t most_bytes = kMostFileBytes);

// Writes to a file without a name in the same folder, puts it on the disk and renames it over `path`, so a
// reader sees the old or the new contents and never a part, after a power cut too. Keeps the permissions of
// what it replaces; a link is followed. A device, a pipe or a descriptor (/dev/stdout) is written to as it
// is. Makes missing parent folders. Throws IoError.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

}  // namespace warploom
