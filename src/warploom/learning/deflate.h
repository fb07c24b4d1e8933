// Deflated bytes, their length in front.
#pragma once

#include <string>
#include <string_view>

namespace warploom {

std::string deflate_bytes(std::string_view bytes);
// Throws InvalidInput naming `where` on damage and when more than `most` bytes would come out.
std::string inflate_bytes(std::string_view deflated, std::size_t most, std::string_view where);

}  // namespace warploom
