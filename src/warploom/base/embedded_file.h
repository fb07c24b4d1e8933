// A data file linked into the binary by cmake/WarploomEmbed.cmake.
#pragma once

#include <string_view>

namespace warploom {

struct EmbeddedFile {
  std::string_view name;      // file name without folder
  std::string_view contents;  // the bytes; valid for the life of the program
};

}  // namespace warploom
