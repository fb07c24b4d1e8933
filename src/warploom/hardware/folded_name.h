// Names of hardware as people and tools spell them, made comparable.
#pragma once

#include <string>
#include <string_view>

#include "warploom/base/file_scope.h"

namespace warploom {

// Lower case, letters and digits alone: "A100-SXM4-80GB" -> "a100sxm480gb".
std::string folded_name(std::string_view name);

// folded_name without a leading maker's or brand name ("nvidia", "amd", "tesla", "geforce", "instinct").
std::string folded_name_without_brand(std::string_view name);

// Whether a name means a file of `files`: it ends in .json or is a file that exists.
bool names_a_file(std::string_view name_or_path, const FileScope& files);

}  // namespace warploom
