// The host half: from a configuration that warploom_tune_pick gives to the kernel instantiated for it. Plain
// C++, no CUDA, so that it can be tested anywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace example {

struct Variant {
  int tile_m, tile_n, tile_k, warps_m, warps_n;
  constexpr int warps() const { return warps_m * warps_n; }
  static constexpr int kStages = 2;
};

// The variants that main.cu instantiates; the first is the safe default.
inline constexpr Variant kVariants[] = {{128, 128, 32, 2, 4}, {128, 64, 32, 4, 2}, {64, 128, 32, 2, 4},
                                        {64, 64, 64, 2, 2},   {32, 128, 64, 1, 4}, {32, 64, 64, 2, 2},
                                        {16, 64, 128, 1, 4},  {16, 128, 64, 1, 4}};
inline constexpr std::size_t kVariantCount = sizeof kVariants / sizeof kVariants[0];

// Index of the variant with these tiles and warps; 0, the default, when none was instantiated (a table of
// another build, or the zeros that a missing table gives).
inline std::size_t variant_of(std::int32_t tile_m, std::int32_t tile_n, std::int32_t tile_k,
                              std::int32_t warps) {
  for (std::size_t i = 0; i < kVariantCount; ++i) {
    const Variant& v = kVariants[i];
    if (v.tile_m == tile_m && v.tile_n == tile_n && v.tile_k == tile_k && v.warps() == warps) return i;
  }
  return 0;
}

}  // namespace example
