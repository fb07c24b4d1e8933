#include "warploom/web/random_token.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

#include "warploom/base/error.h"

namespace warploom {

std::string random_token() {
  std::array<unsigned char, kTokenDigits / 2> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    throw IoError("the kernel's random numbers: cannot be read");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool same_token(const std::string& one, const std::string& other) {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return difference == 0;
}

}  // namespace warploom
