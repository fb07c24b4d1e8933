// Texts that nobody can guess.
#pragma once

#include <cstddef>
#include <string>

namespace warploom {

// kTokenDigits hexadecimal digits, 128 bits of the kernel's random numbers. Throws IoError where there are
// none.
std::string random_token();

inline constexpr std::size_t kTokenDigits = 32;

// Whether both are equal, in a time that does not tell where they differ.
bool same_token(const std::string& one, const std::string& other);

}  // namespace warploom
