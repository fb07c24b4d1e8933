// What the file system's own exceptions become: errors of the program.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "warploom/base/error.h"

namespace warploom {

// A path that cannot even be looked at (in a closed folder, with a name too long) leaves the
// library as an exception of its own; here it is an IoError that names the path.
template <class Work>
auto with_file_system_words(const Work& work) {
  try {
    return work();
  } catch (const std::filesystem::filesystem_error& error) {
    throw IoError(fmt::format("{}: {}", error.path1().string(), error.code().message()));
  }
}

}  // namespace warploom
