// Which fields of a tile kernel bear on what is asked of it. The others are refused: one that is taken and
// changes nothing tells its giver a falsehood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/tuner/tile_kernel.h"

namespace warploom {

// Anchors depend on sizes alone, those at ends of waves on the rows of experts too; the second round's on a
// fit as well. A profile runs the reference kernels. Learning fits and has no table, whose key the name is.
// The published wave model sees tiles and steps alone.
enum class TileKernelUse { Anchors, BoundaryAnchors, SecondRound, Profile, Learning, Table, WaveTuneTable };

// The fields that never bear on a use, whatever the kind.
std::vector<std::string> fields_without_bearing(TileKernelUse use);

// Throws InvalidInput that begins with `request` and names fields in backticks, when a field differs from its
// default and bears on another kind of kernel, or on nothing that `use` asks.
void check_kernel_scope(const TileKernel& kernel, TileKernelUse use, std::string_view request);

}  // namespace warploom
