// gzip's bytes, as HTTP sends them.
#pragma once

#include <string>
#include <string_view>

namespace warploom {

std::string gzipped(std::string_view text);
// Undoes gzipped(), and what the build wrote.
std::string unzipped(std::string_view bytes);

}  // namespace warploom
