#include "warploom/hardware/folded_name.h"

#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

namespace warploom {

std::string folded_name(std::string_view name) {
  std::string folded;
  folded.reserve(name.size());
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) folded.push_back(static_cast<char>(std::tolower(byte)));
  }
  return folded;
}

std::string folded_name_without_brand(std::string_view name) {
  constexpr std::array<std::string_view, 5> brands{"nvidia", "amd", "tesla", "geforce", "instinct"};
  std::string folded = folded_name(name);
  for (const std::string_view brand : brands) {
    if (folded.starts_with(brand)) folded.erase(0, brand.size());
  }
  return folded;
}

bool names_a_file(std::string_view name_or_path, const FileScope& files) {
  if (name_or_path.empty() || !files.holds(name_or_path)) return false;
  std::error_code ignored;
  return name_or_path.ends_with(".json") || std::filesystem::is_regular_file(name_or_path, ignored);
}

}  // namespace warploom
