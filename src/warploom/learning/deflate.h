// Deflated bytes, their length in front.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warploom {

std::string deflate_bytes(std::string_view bytes);
// The same bytes as those of all parts together, with codes for each part: parts whose bytes are distributed
// otherwise take less so. Each part is searched for repetitions or not, whichever is smaller.
std::string deflate_parts(std::span<const std::string> parts);
// Takes what either gave. Throws InvalidInput naming `where` on damage and when more than `most` bytes would
// come out.
std::string inflate_bytes(std::string_view deflated, std::size_t most, std::string_view where);

}  // namespace warploom
