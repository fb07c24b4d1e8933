// A small file of each format, as today's program writes it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace warploom::formats {

struct SmallFile {
  std::string name;  // "<format>-<version><suffix>"
  std::string bytes;
};
std::vector<SmallFile> small_files();

// Reads a file of the format that `name` begins with, or whose suffix it has, and writes what was read.
// Throws what the format's reader throws.
std::string rewritten(const std::string& name, const std::string& bytes);

}  // namespace warploom::formats
