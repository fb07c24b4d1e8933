// 64-bit checksums (xxHash) for file integrity, shape splits and name lookup. Not cryptographic.
#pragma once

#include <cstdint>
#include <string_view>

namespace warploom {

// XXH64 of the bytes with a seed; the same on every platform.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);

// Mixes a value into a running hash (a bijective 64-bit finaliser), for hashing structs field by field.
constexpr std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t x = hash ^ (value + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2));
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace warploom
