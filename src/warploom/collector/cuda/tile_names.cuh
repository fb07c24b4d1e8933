// Names of cublasLt's tiles, clusters and stages, as the toolkit's own header lists them.
#pragma once

#include <cstdint>
#include <string>

namespace warploom::collector {

struct NamedNumber {
  std::uint32_t number;
  const char* name;
};
// Made by CMake from cublasLt.h, so that a newer toolkit's tiles have names too.
inline constexpr NamedNumber kTileNames[] = {
#include "cublaslt_tiles.inc"
};
inline constexpr NamedNumber kClusterNames[] = {
#include "cublaslt_clusters.inc"
};

inline constexpr NamedNumber kStagesNames[] = {
#include "cublaslt_stages.inc"
};

template <std::size_t N>
std::string name_or_number(const NamedNumber (&names)[N], std::uint32_t number) {
  for (const NamedNumber& known : names)
    if (known.number == number) return known.name;
  return std::to_string(number);
}
inline std::string tile_name(std::uint32_t id) { return name_or_number(kTileNames, id); }
inline std::string stages_name(std::uint32_t id) { return name_or_number(kStagesNames, id); }
inline std::string cluster_name(std::uint32_t id) { return name_or_number(kClusterNames, id); }

}  // namespace warploom::collector
